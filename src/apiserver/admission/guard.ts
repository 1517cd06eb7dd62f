// The rules of deploy/guard.yaml, built in, because this server has no ValidatingAdmissionPolicy: whoever makes a certificate request
// does not also write what others say about it. The right `set` on `csrmetadata` of group countersign.dev lets a platform's
// controller annotate; nobody else does.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../api/certificates/index.ts";
import { COUNTERSIGN_GROUP } from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import type { Attempt } from "../call.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

const NAME = "CountersignGuard";
/** Base64 of 65536 octets. */
const MAX_REQUEST_CHARACTERS = 87_384;
const RESERVED_PREFIX = `${COUNTERSIGN_GROUP}/`;
const RESERVED: readonly string[] = ["cluster.x-k8s.io/tpm-endorsement-key", "cluster-x-k8s-io/tpm-endorsement-key"];

export const csrGuard: Plugin = {
  name: NAME,
  phase: "before",
  judge: (attempt, questions) => {
    if (questions.isGuarded !== true) return undefined;
    if (attempt.resource !== CSRS || attempt.operation !== "CREATE" || attempt.subresource !== "") return undefined;
    const csr = attempt.object as CertificateSigningRequest;
    const problem = findProblem(csr);
    if (problem !== undefined && !maySet(attempt, questions)) return refuse(NAME, "MetadataNotAllowed", problem);
    return isTooLarge(csr)
      ? refuse(NAME, "RequestTooLarge", "a request with evidence must have at most 65536 octets")
      : undefined;
  },
};

function findProblem({ metadata }: CertificateSigningRequest): string | undefined {
  const isReserved = (key: string) => key.startsWith(RESERVED_PREFIX) || RESERVED.includes(key);
  if (Object.keys(metadata.annotations ?? {}).some(isReserved))
    return "annotations of countersign.dev and tpm-endorsement-key are not for whoever makes the request";
  if ((metadata.finalizers ?? []).length > 0) return "a request must not have finalizers";
  return (metadata.ownerReferences ?? []).length > 0 ? "a request must not have owner references" : undefined;
}

function isTooLarge({ spec }: CertificateSigningRequest): boolean {
  const isAttested = [ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX].some(
    (prefix) => typeof spec?.signerName === "string" && spec.signerName.startsWith(prefix),
  );
  return isAttested && typeof spec.request === "string" && spec.request.length > MAX_REQUEST_CHARACTERS;
}

function maySet({ user }: Attempt, questions: Questions): boolean {
  const decision = questions.authorize({
    user,
    verb: "set",
    isResource: true,
    path: "",
    group: COUNTERSIGN_GROUP,
    version: "*",
    resource: "csrmetadata",
    subresource: "",
    namespace: "",
    name: "",
    fieldRequirements: [],
  });
  return decision.kind === "Allow";
}
