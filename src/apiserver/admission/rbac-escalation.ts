// No user grants rights that it does not hold. In Kubernetes this check is in the storage of the RBAC kinds
// (kubernetes/pkg/registry/rbac/*/policybased); here it is a plugin, because it needs the same answers as the others.
// Exempt are system:masters; for roles, users with `escalate`; for bindings, users with `bind` on the role.

import { type ClusterRole, MASTERS_GROUP, type PolicyRule, type RoleBinding } from "../../api/access/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type KubeObject,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
} from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import type { Deny } from "../../kernel/outcome/index.ts";
import { rulesForUser, rulesOf } from "../authorization/rbac.ts";
import { describeRule, uncovered } from "../authorization/rule-cover.ts";
import type { Attempt } from "../call.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

const NAME = "RbacEscalation";

export const rbacEscalation: Plugin = {
  name: NAME,
  phase: "after",
  judge: (attempt, questions) => {
    const { resource, operation, user, object } = attempt;
    if (operation === "DELETE" || object === undefined || user.groups.includes(MASTERS_GROUP)) return undefined;
    if (resource === ROLES || resource === CLUSTER_ROLES) return judgeRole(attempt, object, questions);
    if (resource === ROLE_BINDINGS || resource === CLUSTER_ROLE_BINDINGS)
      return judgeBinding(attempt, object, questions);
    return undefined;
  },
};

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function judgeRole(attempt: Attempt, object: KubeObject, questions: Questions): Deny | undefined {
  const next = object as ClusterRole;
  const current = attempt.current as ClusterRole | undefined;
  const isSame = isSameJson(next.rules, current?.rules) && isSameJson(next.aggregationRule, current?.aggregationRule);
  if (current !== undefined && isSame) return undefined;
  if (may("escalate", attempt, { resource: attempt.resource, name: attempt.name }, questions)) return undefined;
  const collects = next.aggregationRule !== undefined || current?.aggregationRule !== undefined;
  if (collects && lacking(EVERYTHING, attempt, questions).length > 0) {
    return refuse(NAME, "AggregationNeedsEverything", "must have cluster-admin privileges to use the aggregationRule");
  }
  return refusalFor(next.rules ?? [], attempt, questions);
}

function judgeBinding(attempt: Attempt, object: KubeObject, questions: Questions): Deny | undefined {
  const { roleRef } = object as RoleBinding;
  const role = roleRef.kind === "Role" ? ROLES : CLUSTER_ROLES;
  if (may("bind", attempt, { resource: role, name: roleRef.name }, questions)) return undefined;
  const rules = rulesOf(questions.rbac, roleRef, attempt.namespace);
  if (typeof rules === "string") return refuse(NAME, "RoleNotFound", rules);
  return refusalFor(rules, attempt, questions);
}

function may(verb: string, attempt: Attempt, on: { resource: Resource; name: string }, questions: Questions): boolean {
  const decision = questions.authorize({
    user: attempt.user,
    verb,
    isResource: true,
    path: "",
    group: on.resource.group,
    version: "*",
    resource: on.resource.plural,
    subresource: "",
    namespace: attempt.namespace,
    name: on.name,
    fieldRequirements: [],
  });
  return decision.kind === "Allow";
}

function lacking(
  wanted: readonly PolicyRule[],
  { user, namespace }: Attempt,
  questions: Questions,
): readonly PolicyRule[] {
  return uncovered(rulesForUser(questions.rbac, user, namespace).rules, wanted);
}

function refusalFor(wanted: readonly PolicyRule[], attempt: Attempt, questions: Questions): Deny | undefined {
  const missing = lacking(wanted, attempt, questions);
  if (missing.length === 0) return undefined;
  const { username, groups } = attempt.user;
  const who = `user ${JSON.stringify(username)} (groups=[${groups.map((group) => JSON.stringify(group)).join(" ")}])`;
  const lines = missing.map(describeRule).sort().join("\n");
  return refuse(
    NAME,
    "GrantsMoreThanHeld",
    `${who} is attempting to grant RBAC permissions not currently held:\n${lines}`,
  );
}
