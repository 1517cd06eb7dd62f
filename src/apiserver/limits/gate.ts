// How many requests may run at once. Requests that change something and requests that read are counted separately, so
// that a storm of lists does not keep a node from renewing its lease; and each class of users has its share
// (shares.ts).

import type { Clock } from "../../platform/clock/index.ts";
import { createDeadlines, type Deadlines } from "./deadlines.ts";
import { createHeldBytes, type HeldBytes } from "./held-bytes.ts";
import { createPlaces, type Places } from "./shares.ts";

export type RequestKind = "mutating" | "readOnly";

export interface RequestLimits {
  readonly mutating: number;
  readonly readOnly: number;
  /** Longest run of a request that is no watch. */
  readonly timeoutMs: number;
  /** Open watches of all users together. */
  readonly watches: number;
  readonly watchesPerUser: number;
  /** Bytes of the bodies of all requests that are not answered yet, and of those of one user. */
  readonly bodyBytes: number;
  readonly bodyBytesPerUser: number;
}

const MIB = 1024 * 1024;

/**
 * The numbers of kube-apiserver, which bounds watches by nothing but its memory. Here each holds a connection of its
 * own, and there are 16,384 of those. A kubelet has a watch for each secret and config map of its pods, some hundreds;
 * machines that join with one token are one user, with a watch each.
 */
export const DEFAULT_LIMITS: RequestLimits = {
  mutating: 200,
  readOnly: 400,
  timeoutMs: 60_000,
  watches: 10_000,
  watchesPerUser: 4_000,
  // Sixteen of the largest bodies from one user, and sixty-four from all.
  bodyBytes: 192 * MIB,
  bodyBytesPerUser: 48 * MIB,
};

export interface Gate {
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  readonly places: Readonly<Record<RequestKind, Places>>;
  readonly bodies: HeldBytes;
  readonly watches: Turnstile;
}

export function createGate(limits: RequestLimits, clock: Clock): Gate {
  return {
    timeoutMs: limits.timeoutMs,
    deadlines: createDeadlines(clock),
    places: { mutating: createPlaces(limits.mutating), readOnly: createPlaces(limits.readOnly) },
    bodies: createHeldBytes({ all: limits.bodyBytes, each: limits.bodyBytesPerUser }),
    watches: createTurnstile({ all: limits.watches, each: limits.watchesPerUser }),
  };
}

const READING: readonly string[] = ["get", "list", "watch", "head", ""];

export function kindOf(verb: string): RequestKind {
  return READING.includes(verb) ? "readOnly" : "mutating";
}

// Places of a scarce resource: a bound for all users, and a smaller one for each, so that no user can take all of them.

interface Turnstile {
  /** Takes a place: returns what gives it back, or which of the bounds is reached. */
  enter(name: string): (() => void) | Bound;
}

export type Bound = "all" | "each";

function createTurnstile(limits: Readonly<Record<Bound, number>>): Turnstile {
  const inside = new Map<string, number>();
  let total = 0;

  function leave(name: string): void {
    const left = (inside.get(name) ?? 0) - 1;
    if (left > 0) inside.set(name, left);
    else inside.delete(name);
    total -= 1;
  }

  return {
    enter: (name) => {
      const own = inside.get(name) ?? 0;
      if (own >= limits.each) return "each";
      if (total >= limits.all) return "all";
      inside.set(name, own + 1);
      total += 1;
      let isInside = true;
      return () => {
        if (isInside) leave(name);
        isInside = false;
      };
    },
  };
}
