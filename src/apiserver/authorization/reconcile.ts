// At the start, the bootstrap policy is brought up to date: missing objects are created, missing rules and subjects
// added. What an operator added stays, and an object whose annotation sets autoupdate to "false" is left alone.
// Behaviour of kubernetes/pkg/registry/rbac/reconciliation.

import type { ClusterRole, RoleBinding } from "../../api/access/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type KubeObject,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
} from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import { keyOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import { AUTOUPDATE, bootstrapPolicy } from "./policy/objects.ts";
import { uncovered } from "./rule-cover.ts";

interface Reconciliation {
  readonly storage: Storage;
  /** Gives a new object its uid and time. */
  readonly asNew: (object: KubeObject) => KubeObject;
}

export async function reconcileBootstrapPolicy(reconciliation: Reconciliation): Promise<void> {
  const policy = bootstrapPolicy();
  await Promise.all([
    ...policy.clusterRoles.map((role) => ensure(reconciliation, CLUSTER_ROLES, role, mergeRole)),
    ...policy.roles.map((role) => ensure(reconciliation, ROLES, role, mergeRole)),
    ...policy.clusterRoleBindings.map((one) => ensure(reconciliation, CLUSTER_ROLE_BINDINGS, one, mergeBinding)),
    ...policy.roleBindings.map((one) => ensure(reconciliation, ROLE_BINDINGS, one, mergeBinding)),
  ]);
}

async function ensure<T extends KubeObject>(
  { storage, asNew }: Reconciliation,
  resource: Resource,
  wanted: T,
  merge: (stored: T, wanted: T) => T,
): Promise<void> {
  const { name = "", namespace } = wanted.metadata;
  const key = keyOf(resource, { namespace, name });
  const stored = storage.get(key);
  if (stored === undefined) {
    await storage.create(key, asNew(wanted));
    return;
  }
  if (stored.object.metadata.annotations?.[AUTOUPDATE] === "false") return;
  const merged = merge(stored.object as T, wanted);
  if (!isSameJson(merged, stored.object)) await storage.update(key, merged, stored.revision);
}

function mergeRole(stored: ClusterRole, wanted: ClusterRole): ClusterRole {
  const missing = uncovered(stored.rules ?? [], wanted.rules ?? []);
  return { ...stored, rules: [...(stored.rules ?? []), ...missing] };
}

/** A binding with another role was changed by an operator and is kept; a roleRef cannot be merged. */
function mergeBinding(stored: RoleBinding, wanted: RoleBinding): RoleBinding {
  if (!isSameJson(stored.roleRef, wanted.roleRef)) return stored;
  const has = (one: unknown) => (stored.subjects ?? []).some((subject) => isSameJson(subject, one));
  const missing = (wanted.subjects ?? []).filter((subject) => !has(subject));
  return missing.length === 0 ? stored : { ...stored, subjects: [...(stored.subjects ?? []), ...missing] };
}
