// Which items of a list repeat an earlier one. Validation asks it of each item in turn, and looking through the list for each
// would take seconds for the thousands of items that fit into a body; so the list is gone through once and remembered.

type KeyOf<T> = (item: T) => string;

const known = new WeakMap<readonly unknown[], WeakMap<KeyOf<never>, ReadonlyMap<string, number>>>();

/** Does an item before `at` have the same key? `keyOf` must be the same function at each call. */
export function isRepeated<T>(list: readonly T[], at: number, keyOf: KeyOf<T>): boolean {
  const item = list[at];
  return item !== undefined && (firstPlaces(list, keyOf).get(keyOf(item)) ?? at) < at;
}

function firstPlaces<T>(list: readonly T[], keyOf: KeyOf<T>): ReadonlyMap<string, number> {
  const byKey = known.get(list) ?? new WeakMap<KeyOf<never>, ReadonlyMap<string, number>>();
  known.set(list, byKey);
  const before = byKey.get(keyOf);
  if (before !== undefined) return before;
  const places = new Map<string, number>();
  list.forEach((item, at) => {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, at);
  });
  byKey.set(keyOf, places);
  return places;
}
