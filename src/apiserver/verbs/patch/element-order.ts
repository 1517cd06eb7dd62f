// The order of a merged list: items that the patch names have the order of the patch, items that only the server has
// keep their place among them. Behaviour of normalizeElementOrder in k8s.io/apimachinery/pkg/util/strategicpatch.

import { isJsonObject, type Json } from "../../../kernel/json/index.ts";

interface Ordering {
  readonly items: readonly Json[];
  /** Items, or objects with nothing but their key, in the wanted order. */
  readonly wanted: readonly Json[];
  /** The list before the patch. */
  readonly live: readonly Json[];
  /** Undefined for scalars. */
  readonly key: string | undefined;
}

export function inOrder({ items, wanted, live, key }: Ordering): readonly Json[] {
  const [wantedAt, liveAt] = [placesIn(wanted, key), placesIn(live, key)];
  const placed = items.map((item): Placed => {
    const name = itemName(item, key);
    return { item, wanted: wantedAt.get(name), live: liveAt.get(name) };
  });
  const named = placed.filter((one) => one.wanted !== undefined);
  named.sort((one, other) => (one.wanted ?? 0) - (other.wanted ?? 0));
  const others = placed.filter((one) => one.wanted === undefined);
  return interleave(others, named).map(({ item }) => item);
}

/** An item and its places in the wanted order and in the list before the patch. */
interface Placed {
  readonly item: Json;
  readonly wanted: number | undefined;
  readonly live: number | undefined;
}

/** The first place of each name. */
function placesIn(list: readonly Json[], key: string | undefined): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  list.forEach((item, at) => {
    const name = itemName(item, key);
    if (!places.has(name)) places.set(name, at);
  });
  return places;
}

/** Both lists keep their order. One of `others` goes first when the server had it before the next of `named`. */
function interleave(others: readonly Placed[], named: readonly Placed[]): readonly Placed[] {
  const merged: Placed[] = [];
  let at = 0;
  for (const one of named) {
    for (let next = others[at]; next !== undefined && isBefore(next.live, one.live); next = others[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(one);
  }
  return [...merged, ...others.slice(at)];
}

function isBefore(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one < other;
}

/** An item is found by its key, or by itself in a list without keys. */
export function itemName(item: Json, key: string | undefined): string {
  if (key === undefined || !isJsonObject(item)) return JSON.stringify(item);
  return JSON.stringify(item[key] ?? null);
}
