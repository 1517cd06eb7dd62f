export {
  type CertificateSigningRequest,
  type CsrCondition,
  type CsrSpec,
  type CsrStatus,
  findCondition,
  isDecided,
  isIssued,
} from "./csr.ts";
export { isNodeName, NODE_NAME_MAX_CHARACTERS, nodeNameOf } from "./node-name.ts";
export {
  API_CLIENT_SIGNER,
  ATTESTED_CLIENT_SIGNER_PREFIX,
  ATTESTED_SERVING_SIGNER_PREFIX,
  BOOTSTRAP_USER_PREFIX,
  BOOTSTRAPPERS_GROUP,
  CLIENT_USAGES,
  CLIENT_USAGES_RSA,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  NODE_USER_PREFIX,
  NODES_GROUP,
  purposeOf,
  SERVING_USAGES,
  SERVING_USAGES_RSA,
  type SignerPurpose,
  VERDICT_ANNOTATION,
} from "./signers.ts";
