// A policy that cannot be read may be the one that would refuse: until somebody corrects it, nothing is approved. Falling back
// to the rules without a policy would turn a typing mistake into an open door.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_SLOWLY_MS, type Rule } from "../rule.ts";

export const policiesAreReadable: Rule<ApprovalFacts> = {
  id: "policies-are-readable",
  sentence: "every JoinPolicy that may cover the request can be read",
  reasons: ["PolicyIsUnreadable"],
  judge: ({ brokenPolicies, policy }) => {
    if (brokenPolicies.length > 0) return notYet("PolicyIsUnreadable", brokenPolicies.join("; "), RETRY_SLOWLY_MS);
    return policy === undefined ? pass("no policy covers it") : pass(`${policy.name}, ${policy.mode}`);
  },
};
