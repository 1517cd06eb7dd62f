// Which pending requests wait for what, so that a change of a Node, a Machine or a rival request brings them back
// before their time. A request is noted under keys: the node name it asks for, and the provider ID it carries.

export interface Pending {
  note(csrName: string, keys: readonly string[]): void;
  forget(csrName: string): void;
  of(key: string): readonly string[];
  all(): Iterable<string>;
}

export function createPending(): Pending {
  const keysOf = new Map<string, readonly string[]>();
  const csrsOf = new Map<string, Set<string>>();

  function forget(csrName: string): void {
    for (const key of keysOf.get(csrName) ?? []) {
      const csrs = csrsOf.get(key);
      csrs?.delete(csrName);
      if (csrs?.size === 0) csrsOf.delete(key);
    }
    keysOf.delete(csrName);
  }

  return {
    note: (csrName, keys) => {
      forget(csrName);
      keysOf.set(csrName, keys);
      for (const key of keys) csrsOf.set(key, (csrsOf.get(key) ?? new Set<string>()).add(csrName));
    },
    forget,
    of: (key) => [...(csrsOf.get(key) ?? [])],
    all: () => keysOf.keys(),
  };
}

/** Provider IDs and node names never meet: a node name has no colon. */
export function providerKey(providerId: string): string {
  return `providerID:${providerId}`;
}
