// metadata.generation: counts what was asked for, so that whoever acts on it can say how far it has come. Kinds that have one
// start at 1 and count every change of the part that is a wish.

import type { KubeObject } from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";

export function firstGeneration<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, generation: 1 } };
}

/** `wish` picks the part whose change counts, usually the spec. */
export function countedGeneration<T extends KubeObject>(next: T, current: T, wish: (object: T) => unknown): T {
  const generation = current.metadata.generation ?? 0;
  const counted = isSameJson(wish(next), wish(current)) ? generation : generation + 1;
  return counted === 0 ? next : { ...next, metadata: { ...next.metadata, generation: counted } };
}
