export type { Curve, SignatureAlgorithm } from "../crypto/index.ts";
export {
  type CertificateTemplate,
  type RequestTemplate,
  type Signer,
  signCertificate,
  signCertificateRequest,
} from "./build.ts";
export {
  type Certificate,
  parseCertificate,
  parseCertificates,
  readCertificates,
  verifyCertificateSignature,
} from "./certificate.ts";
export {
  type ChainAcceptance,
  type ChainInput,
  type ChainRefusal,
  type ChainRefusalReason,
  type ChainResult,
  validateChain,
} from "./chain/validate.ts";
export {
  type BasicConstraints,
  basicConstraintsExtension,
  parseBasicConstraints,
} from "./extensions/basic-constraints.ts";
export { type Extension, findExtension } from "./extensions/extension.ts";
export { authorityKeyIdExtension, computeKeyId, subjectKeyIdExtension } from "./extensions/key-ids.ts";
export {
  extKeyUsageExtension,
  type KeyUsage,
  keyUsageExtension,
  parseExtKeyUsage,
  parseKeyUsage,
} from "./extensions/key-usage.ts";
export type { NameConstraints } from "./extensions/name-constraints.ts";
export {
  parseSubjectAltNames,
  type SubjectAltNames,
  type SubjectAltNameTemplate,
  subjectAltNameExtension,
} from "./extensions/subject-alt-names.ts";
export { directoryNamesOf, type GeneralName } from "./general-names.ts";
export { matchesDnsName } from "./host-names.ts";
export { formatIpAddress, parseIpAddress } from "./ip-address.ts";
export { encodeName, type Name, type NameAttribute, type NameTemplate, parseName } from "./name.ts";
export {
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  OID_EXTENSION_REQUEST,
  OID_NAME_CONSTRAINTS,
  OID_SUBJECT_ALT_NAME,
} from "./oids.ts";
export { type PublicKey, parsePublicKey } from "./public-key.ts";
export { type CertificateRequest, parseCertificateRequest, verifyRequestSignature } from "./request.ts";
export {
  isListed,
  parseRevocationList,
  type RevocationList,
  verifyRevocationListSignature,
} from "./revocation-list.ts";
