// Storage seen through a face (resources/strategy.ts): a kind that is shown in another form than it is stored in reads
// and writes through here, so that no verb has to know. Keys are those of the stored kind.

import type { KubeObject } from "../../api/meta/index.ts";
import type { Face } from "../resources/strategy.ts";
import type { Change, Storage, Stored } from "../storage/storage.ts";

export function facedStorage(storage: Storage, face: Face): Storage {
  const shown = shownBy(face);
  const show = ({ key, revision, object }: Stored): Stored => ({ key, revision, object: shown(object) });
  return {
    revision: storage.revision,
    oldestRevision: storage.oldestRevision,
    compact: storage.compact,
    get: (key) => {
      const stored = storage.get(key);
      return stored === undefined ? undefined : show(stored);
    },
    list: (range) => {
      const page = storage.list(range);
      return { ...page, items: page.items.map(show) };
    },
    create: async (key, object) => show(await storage.create(key, face.keep(object))),
    update: async (key, object, expected) => show(await storage.update(key, face.keep(object), expected)),
    delete: async (key, expected) => show(await storage.delete(key, expected)),
    watch: (prefix, after, onChange) => storage.watch(prefix, after, (change) => onChange(showChange(change, shown))),
    close: () => storage.close(),
  };
}

function showChange(change: Change, shown: (kept: KubeObject) => KubeObject): Change {
  const { type, key, revision, object, previous } = change;
  return { type, key, revision, object: shown(object), previous: previous === undefined ? undefined : shown(previous) };
}

const memories = new WeakMap<Face, WeakMap<KubeObject, KubeObject>>();

/** Stored objects are shared and never change, so the face of one is made once for all readers and watchers. */
function shownBy(face: Face): (kept: KubeObject) => KubeObject {
  const memory = memories.get(face) ?? new WeakMap<KubeObject, KubeObject>();
  memories.set(face, memory);
  return (kept) => {
    const known = memory.get(kept);
    if (known !== undefined) return known;
    const made = face.show(kept);
    memory.set(kept, made);
    return made;
  };
}
