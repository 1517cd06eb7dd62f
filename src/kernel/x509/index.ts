export { type CertificateTemplate, type Signer, signCertificate, signCertificateRequest } from "./build.ts";
export {
  type Certificate,
  parseCertificate,
  parseCertificates,
  readCertificates,
  verifyCertificateSignature,
} from "./certificate.ts";
export { type ChainResult, validateChain } from "./chain/validate.ts";
export { basicConstraintsExtension } from "./extensions/basic-constraints.ts";
export { type Extension, findExtension } from "./extensions/extension.ts";
export { authorityKeyIdExtension, computeKeyId, subjectKeyIdExtension } from "./extensions/key-ids.ts";
export { extKeyUsageExtension, type KeyUsage, keyUsageExtension } from "./extensions/key-usage.ts";
export {
  type SubjectAltNames,
  type SubjectAltNameTemplate,
  subjectAltNameExtension,
} from "./extensions/subject-alt-names.ts";
export { directoryNamesOf } from "./general-names.ts";
export { formatIpAddress, parseIpAddress } from "./ip-address.ts";
export { encodeName, type Name } from "./name.ts";
export { EKU_CLIENT_AUTH, EKU_SERVER_AUTH, OID_EXTENSION_REQUEST, OID_SUBJECT_ALT_NAME } from "./oids.ts";
export { type PublicKey, parsePublicKey } from "./public-key.ts";
export { type CertificateRequest, parseCertificateRequest, verifyRequestSignature } from "./request.ts";
export {
  isListed,
  parseRevocationList,
  type RevocationList,
  verifyRevocationListSignature,
} from "./revocation-list.ts";
