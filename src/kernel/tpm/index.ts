export { parseQuote, type Quote } from "./attest.ts";
export {
  type Activation,
  activateCredential,
  makeCredentialOnTpm,
  policySecret,
  startPolicySession,
} from "./commands/attestation.ts";
export { flushContext, getCurves, getHandles, getProperties, getRandom, startup } from "./commands/basic.ts";
export { cutNvCertificate, type NvPublic, type NvSpan, nvRead, nvReadPublic } from "./commands/nv.ts";
export {
  createPrimary,
  createSealed,
  type LoadedKey,
  loadExternal,
  loadSealed,
  type ReadPublicAnswer,
  readPublic,
  SEALED_ATTRIBUTES,
  type SealedObject,
  unseal,
} from "./commands/objects.ts";
export { type PcrReadAnswer, pcrExtend, pcrRead, type QuoteAnswer, type QuoteRequest, quote } from "./commands/pcr.ts";
export {
  ALGORITHM,
  ATTRIBUTE,
  CURVE_ID,
  curveOf,
  EK_CERTIFICATE_INDEX,
  HANDLE,
  hashOf,
  PROPERTY,
} from "./constants.ts";
export {
  type Credential,
  type CredentialInput,
  type CredentialRandomness,
  type KdfInput,
  kdfa,
  kdfe,
  makeCredential,
} from "./credential.ts";
export { publicKeyOf } from "./key-info.ts";
export {
  HEADER_OCTETS,
  MAX_MESSAGE_OCTETS,
  responseCode,
  responseSize,
  type TpmCommand,
} from "./message.ts";
export { encodePcrSelections, PCR_COUNT, type PcrSelection, pcrDigestOf } from "./pcrs.ts";
export {
  type EccPublicFields,
  encodePublicArea,
  hasAttributes,
  nameOf,
  type PublicArea,
  type PublicAreaFields,
  parsePublicArea,
  qualifiedNameOfPrimary,
  type RsaPublicFields,
  type SchemeParameters,
  type SymmetricParameters,
} from "./public-area.ts";
export { mustSendAgain, RC_INITIALIZE, RC_LOCKOUT, responseFault } from "./response-code.ts";
export {
  encodeEcdsaSignature,
  encodeRsaSignature,
  parseTpmSignature,
  type TpmSignature,
  verifyTpmSignature,
} from "./signature.ts";
export {
  AK_ATTRIBUTES,
  AK_TEMPLATES,
  AK_UNIQUE,
  EK_HIGH_ATTRIBUTES,
  EK_LOW_ATTRIBUTES,
  EK_TEMPLATE_NAMES,
  EK_TEMPLATES,
  type EkTemplateName,
  POLICY_A_SHA256,
  POLICY_B_SHA256,
  POLICY_B_SHA384,
  STORAGE_ATTRIBUTES,
  STORAGE_TEMPLATES,
  STORAGE_UNIQUE,
} from "./templates.ts";
