// The state as it was: today's objects with the changes since then undone. Serves lists at an exact revision, above all
// the later pages of a list whose first page was read at that revision.

import { byCodeUnits, roomFor, type Slice } from "./keyspace.ts";
import type { Change, ListRange, Stored } from "./storage.ts";

type Range = Omit<ListRange, "atRevision">;

/** `current` reads the state of now. */
export function rangeBefore(
  current: (range: Range) => Slice<Stored>,
  changes: readonly Change[],
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
function contentBefore(changes: readonly Change[], prefix: string): ReadonlyMap<string, Stored | undefined> {
  const before = new Map<string, Stored | undefined>();
  for (const { key, previous } of changes) {
    if (!key.startsWith(prefix) || before.has(key)) continue;
    before.set(key, previous && { key, revision: Number(previous.metadata.resourceVersion), object: previous });
  }
  return before;
}
