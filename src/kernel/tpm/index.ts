export { parseQuote, type Quote } from "./attest.ts";
export { activateCredential, policySecret, startPolicySession } from "./commands/attestation.ts";
export { flushContext, getCurves, getHandles, getProperties, startup } from "./commands/basic.ts";
export { cutNvCertificate, nvRead, nvReadPublic } from "./commands/nv.ts";
export { createPrimary, createSealed, type LoadedKey, loadSealed, unseal } from "./commands/objects.ts";
export { pcrRead, quote } from "./commands/pcr.ts";
export { ALGORITHM, ATTRIBUTE, CURVE_ID, EK_CERTIFICATE_INDEX, HANDLE, hashOf, PROPERTY } from "./constants.ts";
export { type Credential, type CredentialRandomness, makeCredential } from "./credential.ts";
export { publicKeyOf } from "./key-info.ts";
export { MAX_MESSAGE_OCTETS, responseCode, responseSize, type TpmCommand } from "./message.ts";
export { pcrDigestOf } from "./pcrs.ts";
export { hasAttributes, nameOf, type PublicArea, parsePublicArea, qualifiedNameOfPrimary } from "./public-area.ts";
export { mustSendAgain } from "./response-code.ts";
export { parseTpmSignature, verifyTpmSignature } from "./signature.ts";
export {
  AK_ATTRIBUTES,
  AK_TEMPLATES,
  EK_TEMPLATE_NAMES,
  EK_TEMPLATES,
  type EkTemplateName,
  POLICY_A_SHA256,
  POLICY_B_SHA256,
  POLICY_B_SHA384,
  STORAGE_TEMPLATES,
} from "./templates.ts";
