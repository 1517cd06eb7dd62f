// The order of a merged list: what the patch names stands in the order of the patch, what only the server has keeps its
// place among it. Behaviour of normalizeElementOrder in k8s.io/apimachinery/pkg/util/strategicpatch.

import { isJsonObject, type Json } from "../../entry/json.ts";
import { isSameJson } from "../same-json.ts";

export interface Ordering {
  readonly items: readonly Json[];
  /** Items, or objects with nothing but their key, in the wanted order. */
  readonly wanted: readonly Json[];
  /** The list before the patch. */
  readonly live: readonly Json[];
  /** Undefined for scalars. */
  readonly key: string | undefined;
}

export function inOrder({ items, wanted, live, key }: Ordering): readonly Json[] {
  const placeIn = (list: readonly Json[]) => {
    const places = new Map<string, number>();
    list.forEach((item, at) => {
      const name = nameOf(item, key);
      if (!places.has(name)) places.set(name, at);
    });
    return (item: Json) => places.get(nameOf(item, key));
  };
  const [wantedAt, liveAt] = [placeIn(wanted), placeIn(live)];
  const named = items.filter((item) => wantedAt(item) !== undefined);
  const others = items.filter((item) => wantedAt(item) === undefined);
  named.sort((one, other) => (wantedAt(one) ?? 0) - (wantedAt(other) ?? 0));
  return interleave(others, named, liveAt);
}

/** Both lists keep their order. One of `others` goes first when the server had it before the next of `named`. */
function interleave(
  others: readonly Json[],
  named: readonly Json[],
  liveAt: (item: Json) => number | undefined,
): readonly Json[] {
  const merged: Json[] = [];
  let at = 0;
  for (const item of named) {
    const place = liveAt(item);
    while (at < others.length && isBefore(liveAt(others[at] as Json), place)) {
      merged.push(others[at] as Json);
      at += 1;
    }
    merged.push(item);
  }
  return [...merged, ...others.slice(at)];
}

function isBefore(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one < other;
}

function nameOf(item: Json, key: string | undefined): string {
  if (key === undefined || !isJsonObject(item)) return JSON.stringify(item);
  return JSON.stringify(item[key] ?? null);
}

export function isSameItem(one: Json, other: Json, key: string | undefined): boolean {
  if (key === undefined || !isJsonObject(one) || !isJsonObject(other)) return isSameJson(one, other);
  return one[key] !== undefined && isSameJson(one[key], other[key]);
}
