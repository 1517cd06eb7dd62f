// Bindings by their subjects: a cluster has thousands of bindings, and a user is named in a few.

import type { RoleBinding, Subject, UserInfo } from "../../api/access/index.ts";

export interface SubjectIndex {
  /** Undefined: the binding of this name is gone. */
  put(name: string, binding: RoleBinding | undefined): void;
  /** The bindings that name the user or one of its groups, each once. */
  bindingsOf(user: UserInfo): Iterable<RoleBinding>;
}

export function createSubjectIndex(): SubjectIndex {
  const all = new Map<string, RoleBinding>();
  const bySubject = new Map<string, Map<string, RoleBinding>>();

  function take(name: string, binding: RoleBinding): void {
    for (const key of keysOf(binding)) {
      const named = bySubject.get(key);
      named?.delete(name);
      if (named?.size === 0) bySubject.delete(key);
    }
  }

  function add(name: string, binding: RoleBinding): void {
    for (const key of keysOf(binding)) {
      const named = bySubject.get(key) ?? new Map<string, RoleBinding>();
      bySubject.set(key, named.set(name, binding));
    }
  }

  return {
    put: (name, binding) => {
      const before = all.get(name);
      if (before !== undefined) take(name, before);
      if (binding === undefined) {
        all.delete(name);
        return;
      }
      all.set(name, binding);
      add(name, binding);
    },
    bindingsOf: ({ username, groups }) => {
      const found = new Set<RoleBinding>();
      for (const key of [userKey(username), ...groups.map(groupKey)]) {
        for (const binding of bySubject.get(key)?.values() ?? []) found.add(binding);
      }
      return found;
    },
  };
}

function keysOf({ subjects, metadata }: RoleBinding): readonly string[] {
  return (subjects ?? []).flatMap((subject) => keyOf(subject, metadata.namespace ?? "") ?? []);
}

/** As rbac.ts compares subjects with users. Undefined: the subject matches no user. */
function keyOf({ kind, name, namespace }: Subject, home: string): string | undefined {
  if (kind === "User") return userKey(name);
  if (kind === "Group") return groupKey(name);
  const owner = namespace || home;
  return kind === "ServiceAccount" && owner !== "" ? userKey(`system:serviceaccount:${owner}:${name}`) : undefined;
}

function userKey(name: string): string {
  return `user ${name}`;
}

function groupKey(name: string): string {
  return `group ${name}`;
}
