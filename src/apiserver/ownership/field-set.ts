// A set of fields of an object: what one manager owns. A tree along the paths, in which a node may be a member itself
// ("." in fieldsV1) and may have members below. Pure; no operation changes its operands.

import type { Schema } from "../schema/schema.ts";
import { itemOf, memberOf } from "../schema/schema.ts";
import { fieldName, type PathElement } from "./path-element.ts";

export interface FieldSet {
  /** Is the value at this node itself in the set? */
  readonly isMember: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

export const NO_FIELDS: FieldSet = { isMember: false, children: new Map() };
export const MEMBER: FieldSet = { isMember: true, children: new Map() };

export function fieldSet(isMember: boolean, children: Iterable<readonly [PathElement, FieldSet]>): FieldSet {
  const kept = new Map<PathElement, FieldSet>();
  for (const [element, child] of children) if (!isEmpty(child)) kept.set(element, child);
  return { isMember, children: kept };
}

export function isEmpty(set: FieldSet): boolean {
  return !set.isMember && set.children.size === 0;
}

/** The set that holds just this path. */
export function setOf(path: readonly PathElement[]): FieldSet {
  const [first, ...rest] = path;
  return first === undefined ? MEMBER : { isMember: false, children: new Map([[first, setOf(rest)]]) };
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one)) return other;
  if (isEmpty(other)) return one;
  const children = new Map(one.children);
  for (const [element, child] of other.children) {
    const known = children.get(element);
    children.set(element, known === undefined ? child : union(known, child));
  }
  return { isMember: one.isMember || other.isMember, children };
}

export function unionOf(sets: Iterable<FieldSet>): FieldSet {
  let all = NO_FIELDS;
  for (const set of sets) all = union(all, set);
  return all;
}

export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  const children = [...one.children].map(([element, child]): [PathElement, FieldSet] => {
    const twin = other.children.get(element);
    return [element, twin === undefined ? NO_FIELDS : intersection(child, twin)];
  });
  return fieldSet(one.isMember && other.isMember, children);
}

/** Without the members of the other; what lies below a member of it stays. */
export function difference(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one) || isEmpty(other)) return one;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of one.children) {
    const twin = other.children.get(element);
    const left = twin === undefined ? child : difference(child, twin);
    if (!isEmpty(left)) children.set(element, left);
  }
  return { isMember: one.isMember && !other.isMember, children };
}

/** Without the members of the other and everything below them. */
export function differenceBelow(one: FieldSet, other: FieldSet): FieldSet {
  if (other.isMember) return NO_FIELDS;
  if (isEmpty(one) || other.children.size === 0) return one;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of one.children) {
    const twin = other.children.get(element);
    const left = twin === undefined ? child : differenceBelow(child, twin);
    if (!isEmpty(left)) children.set(element, left);
  }
  return { isMember: one.isMember, children };
}

export function isSameSet(one: FieldSet, other: FieldSet): boolean {
  if (one.isMember !== other.isMember || one.children.size !== other.children.size) return false;
  return [...one.children].every(([element, child]) => {
    const twin = other.children.get(element);
    return twin !== undefined && isSameSet(child, twin);
  });
}

/** Every path that is a member, in the order of the elements. */
export function* fieldPaths(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  if (set.isMember) yield prefix;
  for (const element of sortElements([...set.children.keys()])) {
    yield* fieldPaths(set.children.get(element) ?? NO_FIELDS, [...prefix, element]);
  }
}

/**
 * The same set in which every field of a struct that has members below is a member too: the owner of `spec.replicas`
 * keeps `spec` alive.
 */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  // No fields are named in a map, and below a scalar there are none.
  if (set.children.size === 0 || (schema?.kind === "map" && schema.value.kind === "scalar")) return set;
  const children = [...set.children].map(([element, child]): [PathElement, FieldSet] => {
    const name = fieldName(element);
    const isNamed = name !== undefined && schema?.kind === "struct" && schema.fields().has(name);
    const inner = schema === undefined ? undefined : name === undefined ? itemOf(schema) : memberOf(schema, name);
    const deeper = withNamedFields(child, inner);
    return [element, isNamed && child.children.size > 0 ? { ...deeper, isMember: true } : deeper];
  });
  return { isMember: set.isMember, children: new Map(children) };
}

const ORDER = "fkvi";

/** Fields, then keyed items, then values, then positions; each by its text, for which sorting needs no function. */
export function sortElements(elements: readonly PathElement[]): readonly PathElement[] {
  const sorted = [...elements].sort();
  if (sorted[0]?.charAt(0) === sorted.at(-1)?.charAt(0)) return sorted;
  return [...ORDER].flatMap((kind) => sorted.filter((element) => element.charAt(0) === kind));
}
