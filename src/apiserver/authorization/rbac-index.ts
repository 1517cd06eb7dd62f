// The RBAC objects kept in memory, fed by storage: authorization needs them on every request and must not read a
// database.

import type { ClusterRole, PolicyRule, Role, RoleBinding } from "../../api/access/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type KubeObject,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
} from "../../api/meta/index.ts";
import { prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import type { RbacObjects } from "./rbac.ts";
import { createSubjectIndex, type SubjectIndex } from "./subjects.ts";

interface RbacIndex extends RbacObjects {
  close(): void;
}

export function createRbacIndex(storage: Storage): RbacIndex {
  const clusterRoles = new Map<string, ClusterRole>();
  const clusterRoleBindings = createSubjectIndex();
  const roles = new Map<string, Role>();
  const roleBindings = new Map<string, SubjectIndex>();
  const stops = [
    follow<ClusterRole>(storage, CLUSTER_ROLES, (role, gone) =>
      put(clusterRoles, nameOf(role), gone ? undefined : role),
    ),
    follow<Role>(storage, ROLES, (role, gone) => put(roles, scopedName(role), gone ? undefined : role)),
    follow<RoleBinding>(storage, CLUSTER_ROLE_BINDINGS, (binding, gone) =>
      clusterRoleBindings.put(nameOf(binding), gone ? undefined : binding),
    ),
    follow<RoleBinding>(storage, ROLE_BINDINGS, (binding, gone) => {
      const namespace = binding.metadata.namespace ?? "";
      const inNamespace = roleBindings.get(namespace) ?? createSubjectIndex();
      inNamespace.put(nameOf(binding), gone ? undefined : binding);
      roleBindings.set(namespace, inNamespace);
    }),
  ];
  return {
    clusterRoleBindings: clusterRoleBindings.bindingsOf,
    roleBindings: (namespace, user) => roleBindings.get(namespace)?.bindingsOf(user) ?? [],
    clusterRole: (name) => collect(clusterRoles.get(name), clusterRoles),
    role: (namespace, name) => roles.get(`${namespace}/${name}`),
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

/** Calls `see` for every stored object and for every later change; returns the unsubscriber. */
function follow<T extends KubeObject>(
  storage: Storage,
  resource: Resource,
  see: (object: T, gone: boolean) => void,
): () => void {
  const prefix = prefixOf(resource);
  const page = storage.list({ prefix });
  for (const item of page.items) see(item.object as T, false);
  return storage.watch(prefix, page.revision, (change) => see(change.object as T, change.type === "DELETED"));
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function nameOf(object: KubeObject): string {
  return object.metadata.name ?? "";
}

function scopedName(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${nameOf(object)}`;
}

/**
 * An aggregated role has the rules of all roles that its selectors match now. In Kubernetes a controller copies them a
 * moment later. A selector with expressions matches nothing here: too few rights are safer than too many.
 */
function collect(
  role: ClusterRole | undefined,
  all: ReadonlyMap<string, ClusterRole>,
  seen: ReadonlySet<string> = new Set(),
): ClusterRole | undefined {
  const selectors = role?.aggregationRule?.clusterRoleSelectors ?? [];
  if (role === undefined || selectors.length === 0 || seen.has(nameOf(role))) return role;
  const inside = new Set([...seen, nameOf(role)]);
  const rules: PolicyRule[] = [...(role.rules ?? [])];
  for (const other of all.values()) {
    if (other === role || !selectors.some((selector) => selects(selector, other))) continue;
    rules.push(...(collect(other, all, inside)?.rules ?? []));
  }
  return { ...role, rules };
}

function selects(selector: { readonly matchLabels?: Readonly<Record<string, string>> }, role: ClusterRole): boolean {
  if (Object.keys(selector).some((key) => key !== "matchLabels")) return false;
  const labels = role.metadata.labels ?? {};
  const wanted = Object.entries(selector.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
