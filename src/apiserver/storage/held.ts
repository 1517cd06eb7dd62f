// How an object is held: as its JSON text, a fifth of the memory of the tree it describes, and the form that the disk,
// lists and watchers need. The tree is made on demand, and the latest ones are kept: what was just written is read by
// several watchers, and what was just read is often written next.

import type { KubeObject } from "../../api/meta/index.ts";
import type { Change, ChangeType, Stored } from "./storage.ts";

/**
 * Of the text whose trees are kept: 128 objects of 2 KB, several times what is in flight. A tree takes about five times
 * its text.
 */
const MAX_PARSED_CHARACTERS = 256 * 1024;

export interface ParsedObjects {
  of(held: Held): KubeObject;
  remember(held: Held, object: KubeObject): KubeObject;
}

export function createParsedObjects(maxCharacters: number = MAX_PARSED_CHARACTERS): ParsedObjects {
  /** The latest last. */
  const known = new Map<Held, KubeObject>();
  let characters = 0;

  function remember(held: Held, object: KubeObject): KubeObject {
    known.set(held, object);
    characters += held.text.length;
    for (const oldest of known.keys()) {
      // The latest stays, whatever its size: its reader may ask again at once and must get the same value.
      if (characters <= maxCharacters || oldest === held) break;
      known.delete(oldest);
      characters -= oldest.text.length;
    }
    return object;
  }

  return {
    remember,
    of: (held) => {
      const object = known.get(held);
      if (object === undefined) return remember(held, JSON.parse(held.text) as KubeObject);
      known.delete(held);
      known.set(held, object);
      return object;
    },
  };
}

export class Held implements Stored {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  readonly #parsed: ParsedObjects;

  constructor({ key, revision, text }: Pick<Held, "key" | "revision" | "text">, parsed: ParsedObjects) {
    this.key = key;
    this.revision = revision;
    this.text = text;
    this.#parsed = parsed;
  }

  get object(): KubeObject {
    return this.#parsed.of(this);
  }
}

/** A change between two held contents. */
export class HeldChange implements Change {
  readonly type: ChangeType;
  readonly current: Held;
  readonly before: Held | undefined;

  constructor(type: ChangeType, current: Held, before: Held | undefined) {
    this.type = type;
    this.current = current;
    this.before = before;
  }

  get key(): string {
    return this.current.key;
  }

  get revision(): number {
    return this.current.revision;
  }

  get object(): KubeObject {
    return this.current.object;
  }

  get text(): string {
    return this.current.text;
  }

  get previous(): KubeObject | undefined {
    return this.before?.object;
  }
}
