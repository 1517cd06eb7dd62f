// Reading objects whose inner types nobody may have checked: an API server stores fields it does not know as they came. What
// is not of the expected type is not there; it must neither throw nor count as a name.

/** The objects of a list. */
export function itemsOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

export function textOf(value: string | undefined): string {
  return typeof value === "string" ? value : "";
}
