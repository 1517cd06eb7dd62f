// Several authorizers as one: the first that allows or denies has spoken; the reasons of those without an opinion are
// kept for the refusal. Group system:masters is always first and always allowed, as in Kubernetes.

import { type Authorizer, MASTERS_GROUP } from "../../api/access/index.ts";
import { allow, noOpinion } from "../../kernel/outcome/index.ts";

export const privilegedAuthorizer: Authorizer = {
  authorize: ({ user }) =>
    user.groups.includes(MASTERS_GROUP)
      ? allow({ rule: "masters", reason: "GroupIsPrivileged", message: "" })
      : noOpinion({ rule: "masters", reason: "GroupIsNotPrivileged", message: "" }),
};

export function createAuthorizerChain(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (asked) => {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = authorizer.authorize(asked);
        if (decision.kind !== "NoOpinion") return decision;
        if (decision.message !== "") reasons.push(decision.message);
      }
      return noOpinion({ rule: "chain", reason: "NobodyAllows", message: reasons.join("\n") });
    },
  };
}
