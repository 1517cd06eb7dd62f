// Kubernetes approves no serving certificate by rule: which names are a node's is the operator's knowledge. A JoinPolicy says
// where it is kept; without one the request waits for a person, and says so.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, type Rule } from "../rule.ts";

/** A new policy brings the request back at once. */
const RETRY_MS = 600_000;

export const servingIsCovered: Rule<ApprovalFacts> = {
  id: "serving-is-covered",
  sentence: "a JoinPolicy covers the request and lets serving certificates be approved by rule",
  reasons: ["ServingNeedsAPolicy", "ServingIsLeftToPeople"],
  judge: ({ policy }) => {
    if (policy === undefined) {
      return notYet(
        "ServingNeedsAPolicy",
        "no JoinPolicy says which names are a node's; make one, or approve by hand",
        RETRY_MS,
      );
    }
    if (policy.serving.approve) return pass(policy.name);
    return notYet("ServingIsLeftToPeople", `policy ${policy.name} leaves serving certificates to people`, RETRY_MS);
  },
};
