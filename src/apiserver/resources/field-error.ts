// Mistakes in fields, in the words of k8s.io/apimachinery/pkg/util/validation/field: clients print them.

import { isSameJson } from "../../kernel/json/index.ts";

type FieldErrorType =
  | "Required value"
  | "Invalid value"
  | "Unsupported value"
  | "Forbidden"
  | "Duplicate value"
  | "Not found"
  | "Too long"
  | "Too many";

export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** Already printed as Go would: strings in quotes. Absent where the type shows none. */
  readonly value?: string;
  readonly detail: string;
  /** The reason in a Status cause, where it is not the usual one of the type. */
  readonly reason?: string;
}

/** Longest value repeated in a message. differs from upstream: there a bad CSR is repeated twice in full. */
const MAX_SHOWN_CHARACTERS = 256;

export function required(field: string, detail = ""): FieldError {
  return { type: "Required value", field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: "Invalid value", field, value: show(value), detail };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = `supported values: ${supported.map((one) => JSON.stringify(one)).join(", ")}`;
  return { type: "Unsupported value", field, value: show(value), detail };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: "Forbidden", field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: "Duplicate value", field, value: show(value), detail: "" };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: "Too long", field, detail: `may not be more than ${maxBytes} bytes` };
}

export function notFoundField(field: string, value: unknown): FieldError {
  return { type: "Not found", field, value: show(value), detail: "" };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return {
    type: "Too many",
    field,
    value: String(actual),
    detail: `must have at most ${max} item${max === 1 ? "" : "s"}`,
  };
}

/** The field is immutable. */
export function immutableField(field: string, next: unknown, current: unknown): readonly FieldError[] {
  return isSameJson(next, current) ? [] : [invalid(field, next, "field is immutable")];
}

/** A value of another type than the schema of its kind says. */
export function wrongType(field: string, value: unknown, detail: string): FieldError {
  return { ...invalid(field, value, detail), reason: "FieldValueTypeInvalid" };
}

export const CAUSE_REASONS: Readonly<Record<FieldErrorType, string>> = {
  "Required value": "FieldValueRequired",
  "Invalid value": "FieldValueInvalid",
  "Unsupported value": "FieldValueNotSupported",
  Forbidden: "FieldValueForbidden",
  "Duplicate value": "FieldValueDuplicate",
  "Not found": "FieldValueNotFound",
  "Too long": "FieldValueTooLong",
  "Too many": "FieldValueTooMany",
};

/** Without the field's path: what stands in a Status cause. */
export function describeError(error: FieldError): string {
  const head = error.value === undefined ? error.type : `${error.type}: ${error.value}`;
  return error.detail === "" ? head : `${head}: ${error.detail}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_SHOWN_CHARACTERS ? text : `${text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
}

type KeyOf<T> = (item: T) => string;

/** Positions by key, kept per list: looking through thousands of items for each of them would take seconds. */
const known = new WeakMap<readonly unknown[], WeakMap<KeyOf<never>, ReadonlyMap<string, number>>>();

/** True when an item before `at` has the same key. `keyOf` must be the same function at each call. */
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
