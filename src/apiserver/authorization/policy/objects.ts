// The tables -> the RBAC objects of a fresh cluster: 69 cluster roles, 50 cluster role bindings, 7 roles, 7 role
// bindings.

import {
  type ClusterRole,
  type PolicyRule,
  parseRule,
  type Role,
  type RoleBinding,
  type RoleRef,
  type RuleLine,
  type Subject,
} from "../../../api/access/index.ts";
import type { ObjectMeta } from "../../../api/meta/index.ts";
import { AGGREGATED, AGGREGATES_TO, aggregationLabel, CLUSTER_ROLES } from "./cluster-roles.ts";
import { CONTROLLER_ROLES } from "./controller-roles.ts";
import { type BindingLine, CLUSTER_BINDINGS, NAMESPACED_BINDINGS, NAMESPACED_ROLES } from "./namespaced-roles.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";
const RBAC_VERSION = `${RBAC_GROUP}/v1`;
/** An operator sets this to "false" on an object that the start of the server must leave alone. */
export const AUTOUPDATE = "rbac.authorization.kubernetes.io/autoupdate";

interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly RoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

export function bootstrapPolicy(): BootstrapPolicy {
  return {
    clusterRoles: [
      ...Object.keys(CLUSTER_ROLES).map(clusterRole),
      ...Object.entries(CONTROLLER_ROLES).map(([name, rules]) => plainClusterRole(`system:controller:${name}`, rules)),
    ],
    clusterRoleBindings: [
      ...Object.entries(CLUSTER_BINDINGS).map(([name, line]) => binding("ClusterRoleBinding", meta(name), line)),
      ...Object.keys(CONTROLLER_ROLES).map(controllerBinding),
    ],
    roles: Object.entries(NAMESPACED_ROLES).map(([key, rules]) => ({
      kind: "Role",
      apiVersion: RBAC_VERSION,
      metadata: namespacedMeta(key),
      rules: rules.map(parseRule),
    })),
    roleBindings: Object.entries(NAMESPACED_BINDINGS).map(([key, line]) =>
      binding("RoleBinding", namespacedMeta(key), line),
    ),
  };
}

/** The rules of one bootstrap cluster role, collected ones included. */
export function clusterRoleRules(name: string): readonly PolicyRule[] {
  const own = (CLUSTER_ROLES[name] ?? []).map(parseRule);
  const collected = Object.keys(AGGREGATES_TO).filter((role) => AGGREGATES_TO[role] === name);
  return [...collected.flatMap(clusterRoleRules), ...own];
}

function clusterRole(name: string): ClusterRole {
  const joins = AGGREGATES_TO[name];
  const role: ClusterRole = {
    kind: "ClusterRole",
    apiVersion: RBAC_VERSION,
    metadata: meta(name, joins === undefined ? {} : { [aggregationLabel(joins)]: "true" }),
    rules: clusterRoleRules(name),
  };
  if (!AGGREGATED.includes(name)) return role;
  const clusterRoleSelectors = [{ matchLabels: { [aggregationLabel(name)]: "true" } }];
  return { ...role, aggregationRule: { clusterRoleSelectors } };
}

function plainClusterRole(name: string, rules: readonly RuleLine[]): ClusterRole {
  return { kind: "ClusterRole", apiVersion: RBAC_VERSION, metadata: meta(name), rules: rules.map(parseRule) };
}

function controllerBinding(name: string): RoleBinding {
  const role = `system:controller:${name}`;
  return binding("ClusterRoleBinding", meta(role), {
    role: `ClusterRole/${role}`,
    to: [`ServiceAccount:kube-system/${name}`],
  });
}

function binding(kind: string, metadata: ObjectMeta, line: BindingLine): RoleBinding {
  const subjects = line.to.map(parseSubject);
  const roleRef = parseRoleRef(line.role);
  return { kind, apiVersion: RBAC_VERSION, metadata, roleRef, ...(subjects.length === 0 ? {} : { subjects }) };
}

function parseRoleRef(text: string): RoleRef {
  const slash = text.indexOf("/");
  return { apiGroup: RBAC_GROUP, kind: text.slice(0, slash), name: text.slice(slash + 1) };
}

function parseSubject(text: string): Subject {
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (kind !== "ServiceAccount") return { kind, apiGroup: RBAC_GROUP, name };
  const slash = name.indexOf("/");
  return { kind, name: name.slice(slash + 1), namespace: name.slice(0, slash) };
}

function meta(name: string, labels: Readonly<Record<string, string>> = {}): ObjectMeta {
  return {
    name,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    annotations: { [AUTOUPDATE]: "true" },
  };
}

function namespacedMeta(key: string): ObjectMeta {
  const slash = key.indexOf("/");
  return { ...meta(key.slice(slash + 1)), namespace: key.slice(0, slash) };
}
