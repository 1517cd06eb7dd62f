// Checks of a single value, without its members: type, enum, length, range, pattern, format. Mistakes have the words of
// k8s.io/kube-openapi/pkg/validation, which kubectl prints.

import { isSameJson, type Json } from "../../../../kernel/json/index.ts";
import { type MatchBudget, matches } from "../../../../kernel/regexp/index.ts";
import { type FieldError, invalid, notSupported, tooLong, tooMany, wrongType } from "../../field-error.ts";
import { fitsFormat, isKnownFormat } from "./formats.ts";
import type { CustomSchema, SchemaLimits } from "./schema.ts";

/** The place of a value. Messages have the path within what is validated, errors the path within the object. */
export interface ValuePlace {
  readonly path: string;
  readonly field: string;
  readonly budget: MatchBudget;
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

export function checkValue(value: Json, schema: CustomSchema, place: ValuePlace): readonly FieldError[] {
  const errors = [...checkType(value, schema, place)];
  if (typeof value === "string") errors.push(...checkText(value, schema, place));
  if (typeof value === "number") errors.push(...checkNumber(value, schema.limits, place));
  return [...errors, ...checkEnum(value, schema, place)];
}

function checkType(value: Json, schema: CustomSchema, place: ValuePlace): readonly FieldError[] {
  const { types, isNullable, format } = schema;
  const type = typeOf(value);
  if (types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number"))) {
    return typeof value === "number" ? rangeErrors(value, schema, place) : [];
  }
  if (type === "null" && isNullable) return [];
  // A value of another type than its format allows is reported with the names of Go types.
  const isFormatted = isKnownFormat(format) && typeof value !== "string" && !Array.isArray(value) && value !== null;
  const [wanted, found] = isFormatted ? [format, GO_FORMATS[type] ?? ""] : [types.join(","), type];
  const detail = `${place.path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  const error = wrongType(place.field, found, detail);
  return typeof value === "number" ? [error, ...rangeErrors(value, schema, place)] : [error];
}

const GO_FORMATS: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };
const INT32_LIMIT = 2 ** 31;

/** int32 and int64. Kubernetes reports these without a field. */
function rangeErrors(value: number, { types, format }: CustomSchema, place: ValuePlace): readonly FieldError[] {
  if (types[0] !== "integer" || types.length > 1) return [];
  const fits = Number.isInteger(value) && (format !== "int32" || (value >= -INT32_LIMIT && value < INT32_LIMIT));
  if (fits) return [];
  const as = format === "" ? "(default format)" : `with format ${format}`;
  return [invalid(rootOf(place), "", `Checked value must be of type integer ${as} in ${place.path}`)];
}

/** Kubernetes reports mistakes without a field at the root of what is validated. */
export function rootOf({ path, field }: ValuePlace): string {
  return field === path ? "<nil>" : field.slice(0, field.length - path.length).replace(/\.$/, "");
}

/** Only the first mistake is reported: a pattern is not tried on a text that is too long. */
function checkText(text: string, schema: CustomSchema, place: ValuePlace): readonly FieldError[] {
  const { maxLength, minLength = 0 } = schema.limits;
  const problem = (detail: string) => [invalid(place.field, text, `${place.path} in body ${detail}`)];
  const length = maxLength === undefined && minLength === 0 ? text.length : [...text].length;
  if (maxLength !== undefined && length > maxLength) return [tooLong(place.field, maxLength)];
  if (length < minLength) return problem(`should be at least ${minLength} chars long`);
  if (schema.pattern !== undefined && !matches(schema.pattern, text, place.budget)) {
    return problem(`should match '${schema.pattern.pattern}'`);
  }
  if (schema.format === "" || fitsFormat(text, schema.format)) return [];
  const detail = `${place.path} in body must be of type ${schema.format}: ${JSON.stringify(text)}`;
  return [wrongType(place.field, text, detail)];
}

function checkNumber(value: number, limits: SchemaLimits, place: ValuePlace): readonly FieldError[] {
  const { multipleOf } = limits;
  const problems = [
    multipleOf !== undefined && !Number.isInteger(value / multipleOf) ? `should be a multiple of ${multipleOf}` : "",
    isAbove(value, limits) ? `should be less than ${boundOf(limits.maximum, limits.exclusiveMaximum)}` : "",
    isBelow(value, limits) ? `should be greater than ${boundOf(limits.minimum, limits.exclusiveMinimum)}` : "",
  ];
  const told = problems.filter((problem) => problem !== "");
  return told.map((problem) => invalid(place.field, value, `${place.path} in body ${problem}`));
}

function isAbove(value: number, { maximum = Number.POSITIVE_INFINITY, exclusiveMaximum }: SchemaLimits): boolean {
  return exclusiveMaximum === true ? value >= maximum : value > maximum;
}

function isBelow(value: number, { minimum = Number.NEGATIVE_INFINITY, exclusiveMinimum }: SchemaLimits): boolean {
  return exclusiveMinimum === true ? value <= minimum : value < minimum;
}

function boundOf(bound: number | undefined, isExclusive: boolean | undefined): string {
  return isExclusive === true ? `${bound}` : `or equal to ${bound}`;
}

/** How many values of an enum a message lists. differs from upstream: all are listed there. */
const MAX_SHOWN = 200;

const scalars = new WeakMap<readonly Json[], ReadonlySet<Json>>();

/** Kept, because an enum of thousands of values may be checked for each item of a list. */
function scalarsOf(allowed: readonly Json[]): ReadonlySet<Json> {
  const known = scalars.get(allowed) ?? new Set(allowed.filter((one) => typeof one !== "object"));
  scalars.set(allowed, known);
  return known;
}

function checkEnum(value: Json, { enum: allowed, isNullable }: CustomSchema, place: ValuePlace): readonly FieldError[] {
  if (allowed === undefined || (value === null && isNullable)) return [];
  if (scalarsOf(allowed).has(value) || allowed.some((one) => typeof one === "object" && isSameJson(one, value)))
    return [];
  const shown = allowed.slice(0, MAX_SHOWN).map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return [notSupported(place.field, value, shown)];
}

/** How many items a list or fields an object may have. */
export function checkSize(
  value: readonly Json[] | number,
  limits: SchemaLimits,
  place: ValuePlace,
): readonly FieldError[] {
  const isList = typeof value !== "number";
  const size = isList ? value.length : value;
  const [min = 0, max] = isList ? [limits.minItems, limits.maxItems] : [limits.minProperties, limits.maxProperties];
  if (size < min) {
    const detail = `${place.path} in body should have at least ${min} ${isList ? "items" : "properties"}`;
    return [invalid(place.field, size, detail)];
  }
  return max !== undefined && size > max ? [tooMany(place.field, size, max)] : [];
}
