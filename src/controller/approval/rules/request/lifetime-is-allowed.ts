// A policy may bound what a request asks for. Without `expirationSeconds` the signer keeps the same bound by itself.

import { purposeOf } from "../../../../api/certificates/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { pass, type Rule, refuse } from "../rule.ts";

export const lifetimeIsAllowed: Rule<ApprovalFacts> = {
  id: "lifetime-is-allowed",
  sentence: "the request asks for no longer life than the policy allows",
  reasons: ["LifetimeIsTooLong"],
  judge: ({ policy, signerName, expirationSeconds }) => {
    const bounds = purposeOf(signerName) === "NodeServing" ? policy?.serving : policy?.client;
    const max = bounds?.maxExpirationSeconds;
    if (max === undefined || expirationSeconds === undefined || expirationSeconds <= max) return pass();
    return refuse("LifetimeIsTooLong", `the request asks for ${expirationSeconds} s, expected at most ${max}`);
  },
};
