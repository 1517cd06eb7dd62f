// The conflict rules: which of the writes of one batch hold, in the order they came, and what each changes. Pure. A
// later write of a batch sees the earlier ones, so of two compare-and-swap updates on one revision the second is a
// conflict.

import type { KubeObject } from "../../api/meta/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { Held, HeldChange, type ParsedObjects } from "./held.ts";
import { checkKey } from "./key.ts";

export type PlannedWrite =
  | { readonly verb: "create"; readonly key: string; readonly object: KubeObject }
  | { readonly verb: "update"; readonly key: string; readonly object: KubeObject; readonly expected: number }
  | { readonly verb: "delete"; readonly key: string; readonly expected: number };

export type Outcome = { readonly planned: HeldChange } | { readonly refused: Fault };

/** etcd refuses requests above 1.5 MiB by default, so no object of a real cluster is larger. */
const MAX_OBJECT_CHARACTERS = 1_572_864;

interface View {
  readonly revision: number;
  get(key: string): Held | undefined;
  readonly parsed: ParsedObjects;
}

export function planWrites(writes: readonly PlannedWrite[], view: View): readonly Outcome[] {
  const touched = new Map<string, Held | undefined>();
  let revision = view.revision;
  return writes.map((write) => {
    try {
      const current = touched.has(write.key) ? touched.get(write.key) : view.get(write.key);
      const planned = planWrite(write, current, { revision: revision + 1, parsed: view.parsed });
      revision += 1;
      touched.set(write.key, write.verb === "delete" ? undefined : planned.current);
      return { planned };
    } catch (cause) {
      if (isFault(cause)) return { refused: cause };
      throw cause;
    }
  });
}

interface Place {
  readonly revision: number;
  readonly parsed: ParsedObjects;
}

function planWrite(write: PlannedWrite, current: Held | undefined, place: Place): HeldChange {
  checkKey(write.key);
  if (write.verb === "create") {
    if (current !== undefined) throw new Fault("already-exists", `${write.key} already exists`);
    return new HeldChange("ADDED", held(write.key, write.object, place), undefined);
  }
  if (current === undefined) throw new Fault("not-found", `${write.key} not found`);
  if (current.revision !== write.expected) throw conflict(write.key, write.expected, current.revision);
  if (write.verb === "update") return new HeldChange("MODIFIED", held(write.key, write.object, place), current);
  return new HeldChange("DELETED", held(write.key, current.object, place), current);
}

/** The object at its new revision, encoded once for the disk, its writer and all watchers. */
function held(key: string, given: KubeObject, { revision, parsed }: Place): Held {
  const object = { ...given, metadata: { ...given.metadata, resourceVersion: String(revision) } };
  const made = new Held({ key, revision, text: encode(key, object) }, parsed);
  parsed.remember(made, object);
  return made;
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
