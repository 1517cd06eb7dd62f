// The rules of deploy/guard.yaml, built in, because this server has no ValidatingAdmissionPolicy: the creator of a
// certificate request must not also write its annotations and conditions. The right `set` on `csrmetadata` of group
// countersign.dev lets a platform's controller annotate, and no other user.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../api/certificates/index.ts";
import { GUARD_RULES } from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import type { Attempt } from "../call.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

const NAME = "CountersignGuard";
const RESERVED: readonly string[] = GUARD_RULES.reserved;

export const csrGuard: Plugin = {
  name: NAME,
  phase: "before",
  judge: (attempt, questions) => {
    if (questions.isGuarded !== true) return undefined;
    if (attempt.resource !== CSRS || attempt.operation !== "CREATE" || attempt.subresource !== "") return undefined;
    const csr = attempt.object as CertificateSigningRequest;
    const problem = findProblem(csr);
    if (problem !== undefined && !maySet(attempt, questions)) return refuse(NAME, "MetadataNotAllowed", problem);
    return isTooLarge(csr) ? refuse(NAME, "RequestTooLarge", GUARD_RULES.tooLarge) : undefined;
  },
};

function findProblem({ metadata }: CertificateSigningRequest): string | undefined {
  const isReserved = (key: string) => key.startsWith(GUARD_RULES.reservedPrefix) || RESERVED.includes(key);
  if (Object.keys(metadata.annotations ?? {}).some(isReserved)) return GUARD_RULES.annotations;
  if ((metadata.finalizers ?? []).length > 0) return GUARD_RULES.finalizers;
  return (metadata.ownerReferences ?? []).length > 0 ? GUARD_RULES.ownerReferences : undefined;
}

function isTooLarge({ spec }: CertificateSigningRequest): boolean {
  const isAttested = [ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX].some(
    (prefix) => typeof spec?.signerName === "string" && spec.signerName.startsWith(prefix),
  );
  return isAttested && typeof spec.request === "string" && spec.request.length > GUARD_RULES.maxRequestCharacters;
}

function maySet({ user }: Attempt, questions: Questions): boolean {
  const decision = questions.authorize({
    user,
    ...GUARD_RULES.right,
    isResource: true,
    path: "",
    version: "*",
    subresource: "",
    namespace: "",
    name: "",
    fieldRequirements: [],
  });
  return decision.kind === "Allow";
}
