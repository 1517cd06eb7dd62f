// The facts that gather would make of a request, on a cluster where nothing is registered yet.

import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { INSECURE_CLIENT_SIGNER, KUBELET_CLIENT_SIGNER } from "../../src/api/certificates/index.ts";
import type { ApprovalFacts } from "../../src/controller/approval/facts.ts";
import { readRequest } from "../../src/controller/approval/read-request.ts";
import { START_MS } from "../fakes/clock.ts";

export function factsOf(csr: CertificateSigningRequest, changed: Partial<ApprovalFacts> = {}): ApprovalFacts {
  const { username = "", groups = [], signerName, usages, request } = csr.spec;
  return {
    nowMs: START_MS,
    csrUid: csr.metadata.uid ?? "",
    signerName,
    usages,
    request: readRequest(request),
    servedSigners: [KUBELET_CLIENT_SIGNER, INSECURE_CLIENT_SIGNER],
    requester: { username, groups },
    node: { kind: "Absent" },
    claims: { kind: "Present", value: [] },
    earlierRefusal: undefined,
    ...changed,
  };
}
