// Some kinds are written one at a time (Strategy.writesInTurn): a write becomes visible only once it is durable, and two that
// were prepared at the same moment would both take the same free address.

import type { Storage } from "../../storage/storage.ts";
import type { StoredCall } from "../stored-call.ts";

/** The last write of each storage that others wait for; it never rejects. */
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
