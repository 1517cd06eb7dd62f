// The latest changes in order, one for each revision, so that a watch can start in the past and a list can be read as
// it was. Bounded in number and in bytes: the oldest changes are dropped, and a client that asks for them gets
// `expired` and lists again. Empty at every start of the process, as the watch cache of kube-apiserver is.

import type { HeldChange } from "./held.ts";
import { byCodeUnits, roomFor, type Slice } from "./keyspace.ts";
import { type ListRange, type Stored, tooOld } from "./storage.ts";

export interface HistoryLimits {
  readonly changes: number;
  readonly characters: number;
}

/**
 * kube-apiserver keeps at least 75 s of events. 8,192 changes are 80 s at 100 writes a second, which is 1,000 nodes
 * renewing their leases every ten seconds. 32 Mi characters of JSON bound the memory when objects are large.
 */
export const DEFAULT_HISTORY_LIMITS: HistoryLimits = { changes: 8_192, characters: 32 * 1024 * 1024 };

interface History {
  /** Every change after this revision is still known. */
  floor(): number;
  append(change: HeldChange): void;
  /** Drops the changes up to this revision. */
  compact(revision: number): void;
  /** The changes after `revision`, oldest first; none for a revision that is yet to come. Fault `expired`. */
  since(revision: number): readonly HeldChange[];
}

export function createHistory(startRevision: number, limits: HistoryLimits = DEFAULT_HISTORY_LIMITS): History {
  let floor = startRevision;
  let kept: (HeldChange | undefined)[] = [];
  /**
   * Index of the oldest change; the dropped ones before it are cut off in one piece when they are half of the array.
   */
  let start = 0;
  let characters = 0;

  function drop(isTooMuch: () => boolean): void {
    while (isTooMuch()) {
      const oldest = kept[start];
      if (oldest === undefined) break;
      kept[start] = undefined;
      start += 1;
      floor = oldest.revision;
      characters -= sizeOf(oldest);
    }
    if (start > kept.length / 2) {
      kept = kept.slice(start);
      start = 0;
    }
  }

  return {
    floor: () => floor,
    append: (change) => {
      kept.push(change);
      characters += sizeOf(change);
      drop(() => kept.length - start > limits.changes || characters > limits.characters);
    },
    compact: (revision) => drop(() => floor < revision),
    since: (revision) => {
      if (revision < floor) throw tooOld(revision, floor);
      // Revisions are consecutive, so the position of a change follows from its revision.
      return kept.slice(start + (revision - floor)).filter((change) => change !== undefined);
    },
  };
}

/** JSON length of what a change keeps alive: the new content and the old one. */
function sizeOf({ current, before }: HeldChange): number {
  return current.text.length + (before?.text.length ?? 0);
}

// An earlier state: the current objects with the changes since then undone. Serves lists at an exact revision, above
// all the later pages of a list whose first page was read at that revision.

type Range = Omit<ListRange, "atRevision">;

/** `current` reads the current state. */
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
