// The operations of storage: few, so that memory and lmdb can be held to one contract suite (test/contract/storage.ts).
// Keys are `/<group>/<plural>/<namespace or empty>/<name>`; one revision counts all writes; an object's resourceVersion
// is the revision of its last write. A write is visible to no reader, watcher or writer before it is durable; one that
// the disk refuses is the Fault `io-failed` and changes nothing.

import type { KubeObject } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

/** An object in one or two of its forms. Stored objects are held as text and parsed on demand. */
export interface Content {
  /** Frozen by convention: readers share it and must not change it. */
  readonly object: KubeObject;
  /** Its JSON on one line, where it exists already and need not be encoded again. */
  readonly text?: string | undefined;
}

export interface Stored extends Content {
  readonly key: string;
  /** Revision of this object's last write; also in object.metadata.resourceVersion. */
  readonly revision: number;
}

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** The content is the new one; for DELETED the last one, with the revision of the deletion as resourceVersion. */
export interface Change extends Content {
  readonly type: ChangeType;
  readonly revision: number;
  readonly key: string;
  /** The object before; absent for ADDED. Selector transitions need it. */
  readonly previous?: KubeObject | undefined;
}

export interface Page {
  readonly items: readonly Stored[];
  /** The one revision at which all pages of this list were read. */
  readonly revision: number;
  /** Key after which the next page starts; absent on the last page. */
  readonly next?: string;
  readonly remaining: number;
}

export interface ListRange {
  readonly prefix: string;
  readonly limit?: number | undefined;
  /** Start strictly after this key. */
  readonly after?: string | undefined;
  /** Read the state as it was at this revision; Fault `expired` when it was compacted away. */
  readonly atRevision?: number | undefined;
}

export interface Storage {
  /** Latest revision that is durable and visible. */
  revision(): number;
  /** Oldest revision from which `watch` can still replay. */
  oldestRevision(): number;
  /** From now on history begins at this revision; the current objects stay as they are. */
  compact(revision: number): void;
  get(key: string): Stored | undefined;
  list(range: ListRange): Page;
  /** Fault `already-exists`. */
  create(key: string, object: KubeObject): Promise<Stored>;
  /** Compare and swap. Fault `not-found`, or `conflict` when the stored revision differs from `expected`. */
  update(key: string, object: KubeObject, expected: number): Promise<Stored>;
  /** Compare and delete; answers with the last content at the revision of the deletion. Faults as for `update`. */
  delete(key: string, expected: number): Promise<Stored>;
  /**
   * Calls `onChange` for every change under `prefix` with a revision above `after`: history first, then live, in order
   * and without gap or repetition. Fault `expired` when history no longer reaches back to `after`. Returns the
   * unsubscriber.
   */
  watch(prefix: string, after: number, onChange: (change: Change) => void): () => void;
  /** Takes no more writes (Fault `unavailable`), settles those it has taken, forgets its watchers. */
  close(): Promise<void>;
}

// Revisions outside of what storage can show. The messages are those of kube-apiserver: clients see them.

/** Compacted away; the client lists again. `oldest` is the oldest revision from which a watch can still start. */
export function tooOld(requested: number, oldest: number): Fault {
  return new Fault("expired", `too old resource version: ${requested} (${oldest})`, { detail: { requested, oldest } });
}

/** Not reached yet. */
export function tooLarge(requested: number, current: number): Fault {
  return new Fault("timeout", `Too large resource version: ${requested}, current: ${current}`, {
    detail: { requested, current },
  });
}
