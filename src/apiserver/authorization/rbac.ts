// RBAC: cluster-wide bindings first, then those of the request's namespace; the first rule that allows ends the search.
// Behaviour of kubernetes/plugin/pkg/auth/authorizer/rbac. Pure over RbacObjects.

import {
  type Attributes,
  type Authorizer,
  type ClusterRole,
  type Decision,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleRef,
  ruleAllows,
  type Subject,
  type UserInfo,
} from "../../api/access/index.ts";
import { allow, noOpinion } from "../../kernel/outcome/index.ts";

const RULE = "rbac";

/** The current RBAC objects. */
export interface RbacObjects {
  /** At least those whose subjects include the user; others are skipped. */
  clusterRoleBindings(user: UserInfo): Iterable<RoleBinding>;
  roleBindings(namespace: string, user: UserInfo): Iterable<RoleBinding>;
  clusterRole(name: string): ClusterRole | undefined;
  role(namespace: string, name: string): Role | undefined;
}

export function createRbacAuthorizer(objects: RbacObjects): Authorizer {
  return { authorize: (asked) => decide(objects, asked) };
}

function decide(objects: RbacObjects, asked: Attributes): Decision {
  const problems: string[] = [];
  for (const binding of bindingsFor(objects, asked)) {
    const namespace = binding.metadata.namespace ?? "";
    const subject = matchingSubject(binding, asked.user, namespace);
    if (subject === undefined) continue;
    const rules = rulesOf(objects, binding.roleRef, namespace);
    if (typeof rules === "string") problems.push(rules);
    else if (rules.some((rule) => ruleAllows(rule, asked))) return allowed(binding, subject, namespace);
  }
  const reason =
    problems.length === 0 ? "" : `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`}`;
  return noOpinion({ rule: RULE, reason: "NoRuleAllows", message: reason });
}

function* bindingsFor(objects: RbacObjects, asked: Attributes): Iterable<RoleBinding> {
  yield* objects.clusterRoleBindings(asked.user);
  if (asked.isResource && asked.namespace !== "") yield* objects.roleBindings(asked.namespace, asked.user);
}

/** A user's rules in a namespace, and what could not be resolved. Escalation checks and rule reviews need them. */
export function rulesForUser(
  objects: RbacObjects,
  user: UserInfo,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly problems: readonly string[] } {
  const rules: PolicyRule[] = [];
  const problems: string[] = [];
  const inNamespace = namespace === "" ? [] : objects.roleBindings(namespace, user);
  const bindings = [...objects.clusterRoleBindings(user), ...inNamespace];
  for (const binding of bindings) {
    const scope = binding.metadata.namespace ?? "";
    if (matchingSubject(binding, user, scope) === undefined) continue;
    const found = rulesOf(objects, binding.roleRef, scope);
    if (typeof found === "string") problems.push(found);
    else rules.push(...found);
  }
  return { rules, problems };
}

function matchingSubject(binding: RoleBinding, user: UserInfo, namespace: string): Subject | undefined {
  return binding.subjects?.find((subject) => subjectMatches(subject, user, namespace));
}

function subjectMatches(subject: Subject, user: UserInfo, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user.username;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount": {
      const owner = subject.namespace || namespace;
      return owner !== "" && user.username === `system:serviceaccount:${owner}:${subject.name}`;
    }
    default:
      return false;
  }
}

/** The rules of the role a binding points to, or what is wrong with it. */
export function rulesOf(objects: RbacObjects, roleRef: RoleRef, namespace: string): readonly PolicyRule[] | string {
  if (roleRef.kind === "ClusterRole") {
    const role = objects.clusterRole(roleRef.name);
    return role === undefined ? missing("clusterrole", roleRef.name) : (role.rules ?? []);
  }
  if (roleRef.kind === "Role") {
    const role = objects.role(namespace, roleRef.name);
    return role === undefined ? missing("role", roleRef.name) : (role.rules ?? []);
  }
  return `unsupported role reference kind: ${JSON.stringify(roleRef.kind)}`;
}

function missing(kind: string, name: string): string {
  return `${kind}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
}

function allowed(binding: RoleBinding, subject: Subject, namespace: string): Decision {
  const name = binding.metadata.name ?? "";
  const bound = namespace === "" ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  const owner = subject.namespace || namespace;
  const who = subject.kind === "ServiceAccount" ? `"${subject.name}/${owner}"` : `"${subject.name}"`;
  const role = `${binding.roleRef.kind} "${binding.roleRef.name}"`;
  const message = `RBAC: allowed by ${bound} of ${role} to ${subject.kind} ${who}`;
  return allow({ rule: RULE, reason: "RuleAllows", message });
}
