// A write that names no version is not refused because another came first: it is made again from what is stored now.

import { isFault } from "../../kernel/outcome/index.ts";
import { conflict, notFound } from "../status/status.ts";
import type { Storage } from "../storage/storage.ts";
import { keyFor, type StoredCall, type Turns } from "./stored-call.ts";

/** Lost races before the client gets a conflict; each means that another write came through. */
export const MAX_WRITE_TRIES = 10;

/** A refusal by storage itself carries no Status yet: another writer came first. */
export function isLostRace(error: unknown): boolean {
  return (isFault(error, "conflict") || isFault(error, "not-found")) && error.cause === undefined;
}

export function told(error: unknown, { resource, call }: StoredCall): unknown {
  if (!isLostRace(error)) return error;
  return isFault(error, "conflict") ? conflict(resource, call.info.name) : notFound(resource, call.info.name);
}

/** The first try runs at once, unless other writers wait for the object; tries after a lost race run in turn. */
export async function writeUntilWon<T>(
  stored: StoredCall,
  attempt: () => Promise<T>,
  isLost: (error: unknown) => boolean = isLostRace,
): Promise<T> {
  const { turns } = stored.parts;
  const key = keyFor(stored, stored.call.info.name);
  const inTurn = () => turns.take(key, () => tryAgain(stored, attempt, isLost));
  if (turns.isTaken(key)) return inTurn();
  try {
    return await attempt();
  } catch (error) {
    if (!isLost(error)) throw told(error, stored);
    return inTurn();
  }
}

/** In turn, only writers of other verbs come between. */
async function tryAgain<T>(
  stored: StoredCall,
  attempt: () => Promise<T>,
  isLost: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLost(error) || tries === MAX_WRITE_TRIES) throw told(error, stored);
    }
  }
}

// Some kinds are written one at a time (Strategy.writesInTurn): a write becomes visible only once it is durable, and
// two that were prepared at the same moment would both take the same free address.

/** The last write of each storage; it never rejects. */
const lastOf = new WeakMap<Storage, Promise<void>>();

export async function inTurn<T>({ strategy, parts }: StoredCall, write: () => Promise<T>): Promise<T> {
  if (!strategy.writesInTurn) return write();
  const before = lastOf.get(parts.storage) ?? Promise.resolve();
  const written = before.then(write);
  lastOf.set(
    parts.storage,
    written.then(
      () => undefined,
      () => undefined,
    ),
  );
  return written;
}

// Writers of one object, one after the other. Of two patches that began with the same version only one can be written;
// the other is made again. With many at once the same one could lose every time, so a writer that has lost waits for
// its turn, and writers that arrive meanwhile queue behind it.

export function createTurns(): Turns {
  /** The last in line of each key; it never rejects. */
  const last = new Map<string, Promise<void>>();
  return {
    isTaken: (key) => last.has(key),
    take: (key, write) => {
      const written = (last.get(key) ?? Promise.resolve()).then(write);
      const done = written.then(
        () => undefined,
        () => undefined,
      );
      last.set(key, done);
      void done.then(() => {
        if (last.get(key) === done) last.delete(key);
      });
      return written;
    },
  };
}
