// What was proven binds, under every signer and policy. Without this rule a bootstrap token alone would become a machine that an
// operator enrolled by its TPM, and a node would trade the certificate that it proved for by one that asks for no proof. No policy
// covers it and no flag switches it off; its refusal is written as a denial even where a policy only records.

import { judgeStanding, STANDING_REASONS, unprovenOf } from "../../../../attestation/verifiers/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_UNREAD_MS, type Rule } from "../rule.ts";

export const identityPermitsIt: Rule<ApprovalFacts> = {
  id: "identity-permits-it",
  sentence: "the node's identity is not revoked, and asks for no proof that the request lacks",
  reasons: ["IdentityNotRead", ...STANDING_REASONS],
  isBinding: true,
  judge: ({ identity, requester, signerName }) => {
    if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
    if (identity.kind === "Absent") return pass("the node has no identity");
    return judgeStanding(identity.value, unprovenOf(signerName, requester));
  },
};
