export {
  type CertificateSigningRequest,
  type CsrCondition,
  type CsrSpec,
  type CsrStatus,
  findCondition,
  isDecided,
  isIssued,
} from "./csr.ts";
export {
  BOOTSTRAP_USER_PREFIX,
  BOOTSTRAPPERS_GROUP,
  CLIENT_USAGES,
  CLIENT_USAGES_RSA,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  NODE_USER_PREFIX,
  NODES_GROUP,
} from "./signers.ts";
