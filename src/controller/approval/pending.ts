// Which pending requests ask for which node name, so that a change of the Node or of a rival request brings them back
// before their time: what waits for a rival's approval to be written or not is judged when that is known.

export interface Pending {
  note(csrName: string, nodeName: string): void;
  forget(csrName: string): void;
  of(nodeName: string): readonly string[];
}

export function createPending(): Pending {
  const nodeOf = new Map<string, string>();
  const csrsOf = new Map<string, Set<string>>();

  function forget(csrName: string): void {
    const nodeName = nodeOf.get(csrName);
    if (nodeName === undefined) return;
    nodeOf.delete(csrName);
    const csrs = csrsOf.get(nodeName);
    csrs?.delete(csrName);
    if (csrs?.size === 0) csrsOf.delete(nodeName);
  }

  return {
    note: (csrName, nodeName) => {
      forget(csrName);
      nodeOf.set(csrName, nodeName);
      csrsOf.set(nodeName, (csrsOf.get(nodeName) ?? new Set<string>()).add(csrName));
    },
    forget,
    of: (nodeName) => [...(csrsOf.get(nodeName) ?? [])],
  };
}
