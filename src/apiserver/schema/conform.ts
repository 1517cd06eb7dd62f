// Decodes an untrusted object by the schema of its kind, as Go would: fields of a wrong type are refused, unknown
// fields are dropped and reported, null means "not set", and empty values that Go does not write are dropped. Pure.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { shapeProblem } from "../resources/shape.ts";
import type { Field, ScalarSchema, ScalarType, Schema, StructSchema } from "./schema.ts";

interface Conformed {
  readonly object: JsonObject;
  /** Paths of the fields that were dropped, in the order they came: `spec.containers[0].imag`. */
  readonly unknown: readonly string[];
  /** The first field with a wrong type, in the words of Go's decoder. */
  readonly problem: string | undefined;
}

/** Further unknown fields are dropped without being reported. */
const MAX_TOLD_FIELDS = 100;

interface Findings {
  readonly unknown: string[];
  problem: string | undefined;
}

/** The place of a value, as a chain up to the root: the path is only built when there is something to report. */
interface Place {
  readonly parent: Place | undefined;
  /** A name, or the index of a list item. */
  readonly step: string | number;
  /** The struct whose field it is: Go names it in messages. */
  readonly struct: StructSchema;
}

function pathOf(place: Place | undefined): string {
  if (place?.parent === undefined) return "";
  const before = pathOf(place.parent);
  if (typeof place.step === "number") return `${before}[${place.step}]`;
  return before === "" ? place.step : `${before}.${place.step}`;
}

export function conform(value: JsonObject, schema: StructSchema): Conformed {
  const findings: Findings = { unknown: [], problem: undefined };
  const object = conformStruct(value, schema, { parent: undefined, step: "", struct: schema }, findings);
  return { object, unknown: findings.unknown, problem: findings.problem };
}

function shortName({ name }: StructSchema): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function conformValue(value: Json, schema: Schema, place: Place, findings: Findings): Json | undefined {
  switch (schema.kind) {
    case "any":
      return value;
    case "scalar":
      return conformScalar(value, schema, place, findings);
    case "struct":
      if (!isJsonObject(value)) return mismatch(value, place, findings, shortName(schema));
      return conformStruct(value, schema, place, findings);
    case "map":
      return isJsonObject(value)
        ? conformMap(value, schema.value, place, findings)
        : mismatch(value, place, findings, "map");
    case "list":
      return Array.isArray(value)
        ? conformList(value, schema.item, place, findings)
        : mismatch(value, place, findings, `[]${typeName(schema.item)}`);
  }
}

/** differs from upstream: Go reads a null element as an empty value; here it is refused. */
function conformList(list: readonly Json[], item: Schema, place: Place, findings: Findings): Json[] {
  const kept: Json[] = [];
  for (const [at, value] of list.entries()) {
    const one = conformValue(value, item, { parent: place, step: at, struct: place.struct }, findings);
    if (one !== undefined) kept.push(one);
  }
  return kept;
}

function conformMap(value: JsonObject, inner: Schema, place: Place, findings: Findings): JsonObject {
  const kept: Record<string, Json> = {};
  const rule = inner.kind === "scalar" ? SCALARS[inner.type] : undefined;
  const isPlain = rule !== undefined && rule.text === undefined ? rule.is : () => false;
  for (const [key, one] of Object.entries(value)) {
    if (one === null) continue;
    if (isPlain(one)) {
      kept[key] = one;
      continue;
    }
    const taken = conformValue(one, inner, { parent: place, step: key, struct: place.struct }, findings);
    if (taken !== undefined) kept[key] = taken;
  }
  return kept;
}

function conformStruct(value: JsonObject, schema: StructSchema, place: Place, findings: Findings): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, one] of Object.entries(value)) {
    const taken = conformField(one, { parent: place, step: name, struct: schema }, findings);
    if (taken !== undefined) kept[name] = taken;
  }
  return kept;
}

function conformField(value: Json, place: Place, findings: Findings): Json | undefined {
  const { struct, step } = place;
  const field = struct.fields().get(String(step));
  if (field === undefined && !struct.isOpen) tellUnknown(place, findings);
  if (value === null) return undefined;
  if (field === undefined) return struct.isOpen ? value : undefined;
  const taken = conformValue(value, field.schema, place, findings);
  return taken === undefined || isLeftOut(taken, field) ? undefined : taken;
}

function tellUnknown(place: Place, { unknown }: Findings): void {
  if (unknown.length < MAX_TOLD_FIELDS) unknown.push(pathOf(place));
}

/** What `omitempty` leaves out: empty scalars, lists and maps; never structs, never what a pointer points to. */
function isLeftOut(value: Json, { schema, isPointer, omitsEmpty }: Field): boolean {
  if (!omitsEmpty) return false;
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return schema.kind === "map" && Object.keys(value).length === 0;
  return !isPointer && (value === "" || value === 0 || value === false) && !isTold(schema);
}

/** Go always writes these: they are structs there. */
function isTold(schema: Schema): boolean {
  return schema.kind === "scalar" && (schema.type === "quantity" || schema.type === "int-or-string");
}

interface ScalarRule {
  /** The name of the Go type. */
  readonly type: string;
  readonly is: (value: Json) => boolean;
  /** The syntax of a text of this type. */
  readonly text?: "bytes" | "time" | "quantity";
}

const isText = (value: Json) => typeof value === "string";
const isNumber = (value: Json) => typeof value === "number";
const isInt32 = (value: Json) => Number.isInteger(value) && Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31;

const SCALARS: Readonly<Record<ScalarType, ScalarRule>> = {
  string: { type: "string", is: isText },
  boolean: { type: "bool", is: (value) => typeof value === "boolean" },
  integer: { type: "int32", is: isInt32 },
  long: { type: "int64", is: Number.isSafeInteger },
  number: { type: "float64", is: isNumber },
  bytes: { type: "[]uint8", is: isText, text: "bytes" },
  time: { type: "Time", is: isText, text: "time" },
  microtime: { type: "MicroTime", is: isText, text: "time" },
  duration: { type: "Duration", is: isText },
  quantity: { type: "Quantity", is: (value) => isText(value) || isNumber(value), text: "quantity" },
  "int-or-string": { type: "IntOrString", is: (value) => isText(value) || isInt32(value) },
};

function conformScalar(value: Json, schema: ScalarSchema, place: Place, findings: Findings): Json | undefined {
  const rule = SCALARS[schema.type];
  if (!rule.is(value)) return mismatch(value, place, findings, rule.type);
  if (rule.text === undefined) return value;
  // Go reads a quantity that is written as a number, like `cpu: 2`, from its digits.
  const text = String(value);
  const problem = shapeProblem(rule.text, text, "");
  if (problem !== undefined) findings.problem ??= `${problem}${goField(place)}`;
  return text;
}

/** As Go names a field: the struct, and the path without positions in lists. */
function goField(place: Place): string {
  return `${shortName(place.struct)}.${pathOf(place).replace(/\[\d+\]/g, "")}`;
}

function mismatch(value: Json, place: Place, findings: Findings, wanted: string): undefined {
  const field = goField(place);
  findings.problem ??= `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field} of type ${wanted}`;
  return undefined;
}

function typeName(schema: Schema): string {
  if (schema.kind === "scalar") return SCALARS[schema.type].type;
  return schema.kind === "struct" ? shortName(schema) : schema.kind;
}

function jsonType(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
