// The conflict rules: which of the writes of one batch hold, in the order they came, and what each changes. Pure. A later
// write of a batch sees the earlier ones, so of two compare-and-swap updates on one revision the second is a conflict.

import type { KubeObject } from "../../api/meta/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { checkKey } from "./key.ts";
import type { Change, ChangeType, Stored } from "./storage.ts";

export type Write =
  | { readonly verb: "create"; readonly key: string; readonly object: KubeObject }
  | { readonly verb: "update"; readonly key: string; readonly object: KubeObject; readonly expected: number }
  | { readonly verb: "delete"; readonly key: string; readonly expected: number };

/** An object with the length of its JSON text, by which memory is accounted. */
export interface Entry {
  readonly key: string;
  readonly stored: Stored;
  readonly size: number;
}

export interface Planned {
  readonly change: Change;
  readonly entry: Entry;
  /** The JSON text to store; absent for a deletion. */
  readonly text?: string;
  /** JSON length of what the change keeps alive in the history. */
  readonly size: number;
}

export type Outcome = { readonly planned: Planned } | { readonly refused: Fault };

/** etcd refuses requests above 1.5 MiB by default, so no object of a real cluster is larger. */
const MAX_OBJECT_CHARACTERS = 1_572_864;

export interface View {
  readonly revision: number;
  get(key: string): Entry | undefined;
}

export function planWrites(writes: readonly Write[], view: View): readonly Outcome[] {
  const touched = new Map<string, Entry | undefined>();
  let revision = view.revision;
  return writes.map((write) => {
    try {
      const current = touched.has(write.key) ? touched.get(write.key) : view.get(write.key);
      const planned = planWrite(write, current, revision + 1);
      revision += 1;
      touched.set(write.key, write.verb === "delete" ? undefined : planned.entry);
      return { planned };
    } catch (cause) {
      if (isFault(cause)) return { refused: cause };
      throw cause;
    }
  });
}

function planWrite(write: Write, current: Entry | undefined, revision: number): Planned {
  checkKey(write.key);
  if (write.verb === "create") {
    if (current !== undefined) throw new Fault("already-exists", `${write.key} already exists`);
    return plannedContent("ADDED", write, { revision, previous: undefined });
  }
  if (current === undefined) throw new Fault("not-found", `${write.key} not found`);
  const { revision: actual, object: previous } = current.stored;
  if (actual !== write.expected) throw conflict(write.key, write.expected, actual);
  if (write.verb === "update") return plannedContent("MODIFIED", write, { revision, previous: current });
  const { key } = write;
  const object = withRevision(previous, revision);
  return {
    change: { type: "DELETED", revision, key, object, previous },
    entry: { key, stored: { key, revision, object }, size: 0 },
    size: current.size,
  };
}

function plannedContent(
  type: ChangeType,
  { key, object: given }: { readonly key: string; readonly object: KubeObject },
  { revision, previous }: { readonly revision: number; readonly previous: Entry | undefined },
): Planned {
  const object = withRevision(given, revision);
  const text = encode(key, object);
  const change = { type, revision, key, object };
  return {
    change: previous === undefined ? change : { ...change, previous: previous.stored.object },
    entry: { key, stored: { key, revision, object }, size: text.length },
    text,
    size: text.length + (previous?.size ?? 0),
  };
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function encode(key: string, object: KubeObject): string {
  let text: string;
  try {
    text = JSON.stringify(object);
  } catch (cause) {
    throw new Fault("malformed", `the object of ${key} is not JSON`, { cause });
  }
  if (text.length > MAX_OBJECT_CHARACTERS) {
    throw new Fault("limit-exceeded", `the object of ${key} is larger than ${MAX_OBJECT_CHARACTERS} characters`);
  }
  return text;
}

function conflict(key: string, expected: number, actual: number): Fault {
  return new Fault("conflict", `${key} is at revision ${actual}, the write expected ${expected}`, {
    detail: { expected, actual },
  });
}
