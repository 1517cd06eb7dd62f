// The state as it was: today's objects with the changes since then undone. Serves lists at an exact revision, above all
// the later pages of a list whose first page was read at that revision.

import type { HeldChange } from "./held.ts";
import { byCodeUnits, roomFor, type Slice } from "./keyspace.ts";
import type { ListRange, Stored } from "./storage.ts";

type Range = Omit<ListRange, "atRevision">;

/** `current` reads the state of now. */
export function rangeBefore(
  current: (range: Range) => Slice<Stored>,
  changes: readonly HeldChange[],
  { prefix, after = "", limit }: Range,
): Slice<Stored> {
  const undone = contentBefore(changes, prefix);
  if (undone.size === 0) return current({ prefix, after, limit });
  const untouched = current({ prefix, after }).items.filter(({ key }) => !undone.has(key));
  const revived = [...undone.values()].filter((entry) => entry !== undefined).filter(({ key }) => key > after);
  const all = [...untouched, ...revived].sort((a, b) => byCodeUnits(a.key, b.key));
  const items = all.slice(0, roomFor(limit));
  return { items, remaining: all.length - items.length };
}

/** For each changed key what it held before its first change; undefined when it did not exist. */
function contentBefore(changes: readonly HeldChange[], prefix: string): ReadonlyMap<string, Stored | undefined> {
  const contents = new Map<string, Stored | undefined>();
  for (const { key, before } of changes) {
    if (key.startsWith(prefix) && !contents.has(key)) contents.set(key, before);
  }
  return contents;
}
