// How many requests may be inside at once: those that change something and those that read are counted apart, so that a storm
// of lists does not keep a node from renewing its lease.

export type RequestKind = "mutating" | "readOnly";

export interface Limits {
  readonly mutating: number;
  readonly readOnly: number;
  /** Longest run of a request that is no watch. */
  readonly timeoutMs: number;
}

/** The numbers of kube-apiserver. */
export const DEFAULT_LIMITS: Limits = { mutating: 200, readOnly: 400, timeoutMs: 60_000 };

export interface Gate {
  readonly timeoutMs: number;
  /** False when too many are inside. Whoever got in owes a `leave`. */
  enter(kind: RequestKind): boolean;
  leave(kind: RequestKind): void;
}

export function createGate(limits: Limits): Gate {
  const inside = { mutating: 0, readOnly: 0 };
  return {
    timeoutMs: limits.timeoutMs,
    enter: (kind) => {
      if (inside[kind] >= limits[kind]) return false;
      inside[kind] += 1;
      return true;
    },
    leave: (kind) => {
      inside[kind] -= 1;
    },
  };
}

const READING: readonly string[] = ["get", "list", "watch", "head", ""];

export function kindOf(verb: string): RequestKind {
  return READING.includes(verb) ? "readOnly" : "mutating";
}
