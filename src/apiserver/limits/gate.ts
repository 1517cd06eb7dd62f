// How many requests may be inside at once: those that change something and those that read are counted apart, so that a storm
// of lists does not keep a node from renewing its lease.

import type { Clock } from "../../platform/clock/index.ts";
import { createDeadlines, type Deadlines } from "./deadlines.ts";
import { createTurnstile, type Turnstile } from "./turnstile.ts";

export type RequestKind = "mutating" | "readOnly";

export interface Limits {
  readonly mutating: number;
  readonly readOnly: number;
  /** Longest run of a request that is no watch. */
  readonly timeoutMs: number;
  /** Open watches of all users together. */
  readonly watches: number;
  readonly watchesPerUser: number;
}

/**
 * The numbers of kube-apiserver, which bounds watches by nothing but its memory. Here each holds a connection of its own, and
 * there are 16,384 of those. A kubelet has a watch for each secret and config map of its pods, some hundreds; machines that join
 * with one token are one user, with a watch each.
 */
export const DEFAULT_LIMITS: Limits = {
  mutating: 200,
  readOnly: 400,
  timeoutMs: 60_000,
  watches: 10_000,
  watchesPerUser: 4_000,
};

export interface Gate {
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  /** False when too many are inside. Whoever got in owes a `leave`. */
  enter(kind: RequestKind): boolean;
  leave(kind: RequestKind): void;
  readonly watches: Turnstile;
}

export function createGate(limits: Limits, clock: Clock): Gate {
  const inside = { mutating: 0, readOnly: 0 };
  return {
    timeoutMs: limits.timeoutMs,
    deadlines: createDeadlines(clock),
    enter: (kind) => {
      if (inside[kind] >= limits[kind]) return false;
      inside[kind] += 1;
      return true;
    },
    leave: (kind) => {
      inside[kind] -= 1;
    },
    watches: createTurnstile({ all: limits.watches, each: limits.watchesPerUser }),
  };
}

const READING: readonly string[] = ["get", "list", "watch", "head", ""];

export function kindOf(verb: string): RequestKind {
  return READING.includes(verb) ? "readOnly" : "mutating";
}
