// The checks of a schema that look at one value and not into it: type, enum, length, range, pattern, format. Each mistake is
// told in the words of k8s.io/kube-openapi/pkg/validation, which kubectl prints.

import { isSameJson, type Json } from "../../../../kernel/json/index.ts";
import { type MatchBudget, matches } from "../../../../kernel/regexp/index.ts";
import { type FieldError, invalid, notSupported, tooLong, tooMany, wrongType } from "../../field-error.ts";
import { fitsFormat, isKnownFormat } from "./formats.ts";
import type { CustomSchema, SchemaLimits } from "./schema.ts";

/** Where the value is. Messages tell the path inside what is validated, errors the path inside the object. */
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
  // A number, a boolean or an object in the place of something with a format is told in the words of Go's own types.
  const isFormatted = isKnownFormat(format) && typeof value !== "string" && !Array.isArray(value) && value !== null;
  const [wanted, found] = isFormatted ? [format, GO_FORMATS[type] ?? ""] : [types.join(","), type];
  const detail = `${place.path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  const error = wrongType(place.field, found, detail);
  return typeof value === "number" ? [error, ...rangeErrors(value, schema, place)] : [error];
}

const GO_FORMATS: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };
const INT32_LIMIT = 2 ** 31;

/** A whole number of a certain size. It belongs to no single field in Kubernetes' answer, so it is told without one. */
function rangeErrors(value: number, { types, format }: CustomSchema, place: ValuePlace): readonly FieldError[] {
  if (types[0] !== "integer" || types.length > 1) return [];
  const fits = Number.isInteger(value) && (format !== "int32" || (value >= -INT32_LIMIT && value < INT32_LIMIT));
  if (fits) return [];
  const as = format === "" ? "(default format)" : `with format ${format}`;
  return [invalid(rootOf(place), "", `Checked value must be of type integer ${as} in ${place.path}`)];
}

/** Where Kubernetes puts what belongs to no field: at the place where the whole validation began. */
export function rootOf({ path, field }: ValuePlace): string {
  return field === path ? "<nil>" : field.slice(0, field.length - path.length).replace(/\.$/, "");
}

/** The first mistake of a text is enough: a pattern is not tried on a text that is too long. */
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

/** Of the values that an enum allows; a message with thousands of them helps nobody. differs from upstream: all are shown. */
const MAX_SHOWN = 200;

const scalars = new WeakMap<readonly Json[], ReadonlySet<Json>>();

/** An enum of thousands of values is asked for each item of a list. */
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
