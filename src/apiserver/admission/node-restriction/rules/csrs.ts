// CertificateSigningRequests: a node asks the kubelet's own signers for its own name. What other signers may be asked for is
// their approver's business.

import {
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  NODE_USER_PREFIX,
} from "../../../../api/certificates/index.ts";
import { parseRequestOf } from "../../certificates.ts";
import type { WriteRule } from "./rule.ts";

export const certificateSigningRequests: WriteRule = ({ operation, subresource, object }, { node }) => {
  if (operation !== "CREATE" || subresource !== "") return undefined;
  const csr = object as CertificateSigningRequest;
  if (![KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER].includes(csr.spec?.signerName)) return undefined;
  const request = parseRequestOf(csr);
  if (request === undefined) return "unable to parse csr: PEM block type must be CERTIFICATE REQUEST";
  const wanted = `${NODE_USER_PREFIX}${node}`;
  return request.subject.commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
};
