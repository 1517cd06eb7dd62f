// The machine proves what it is. The verifier of its provider says what became of that, in words of its own; a request without
// evidence is refused, because whoever asks without knows no better than a stolen token does.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_UNREAD_MS, type Rule, refuse } from "../rule.ts";

export const evidenceHolds: Rule<ApprovalFacts> = {
  id: "evidence-holds",
  sentence: "the request carries evidence of what the machine is, and the evidence holds",
  reasons: ["EvidenceIsNotRead", "EvidenceRequired"],
  judge: ({ evidence, signerName, policy }) => {
    if (evidence.kind === "NotRead") return notYet("EvidenceIsNotRead", evidence.why, RETRY_UNREAD_MS);
    if (evidence.kind === "Present") return evidence.value;
    const asks = policy === undefined ? `signer ${signerName}` : `policy ${policy.name}`;
    return refuse("EvidenceRequired", `the request carries no evidence, and ${asks} asks for it`);
  },
};

/** A serving request needs evidence of its own only where the policy says so: the client certificate it came with was attested. */
export const servingEvidenceHolds: Rule<ApprovalFacts> = {
  ...evidenceHolds,
  judge: (facts) => {
    // What is known of the client certificate it came with counts in any case.
    const isAsked = facts.policy?.serving.evidence === "Required" || facts.evidence.kind === "Present";
    return isAsked ? evidenceHolds.judge(facts) : pass("not asked for");
  },
};
