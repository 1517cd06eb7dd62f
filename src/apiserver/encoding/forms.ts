// Messages whose JSON is not an object of their fields. k8s.io/apimachinery: meta/v1 (Time, MicroTime, FieldsV1),
// api/resource (Quantity), util/intstr, runtime (RawExtension); k8s.io/apiextensions-apiserver: the three choices of a
// schema.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { mistyped } from "./encode-faults.ts";
import type { Form } from "./message.ts";
import { malformed } from "./wire-reader.ts";

// Times: RFC 3339 text in JSON, seconds and nanoseconds on the wire. The zero time of Go, the first second of the year
// one, is "unset" in both. k8s.io/apimachinery/pkg/apis/meta/v1: time_proto.go, micro_time_proto.go.

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
/** 0001-01-01T00:00:00Z. */
const ZERO_SECONDS = -62_135_596_800;
/** 9999-12-31T23:59:59Z: the last year of four digits. */
const LAST_SECONDS = 253_402_300_799;
const NANOS_PER_MICRO = 1_000;

interface Instant {
  readonly seconds: number;
  readonly micros: number;
}

function parseTime(value: Json, type: string): Instant {
  const [, whole, fraction = "", zone] = typeof value === "string" ? (TIME.exec(value) ?? []) : [];
  const seconds = Date.parse(`${whole}${zone}`) / 1000;
  if (Number.isNaN(seconds)) throw mistyped(value, type);
  return { seconds, micros: Number(fraction.padEnd(6, "0").slice(0, 6)) };
}

/** Empty for the zero time. */
function fieldsOf({ seconds, micros }: Instant): JsonObject {
  return seconds === ZERO_SECONDS && micros === 0 ? {} : { seconds, nanos: micros * NANOS_PER_MICRO };
}

/** Undefined for the zero time. */
function readInstant({ seconds, nanos }: JsonObject): Instant | undefined {
  if (seconds === undefined && nanos === undefined) return undefined;
  const whole = Number(seconds ?? 0);
  const micros = Math.floor(Number(nanos ?? 0) / NANOS_PER_MICRO);
  if (whole < ZERO_SECONDS || whole > LAST_SECONDS || micros < 0 || micros > 999_999)
    throw malformed("a time is outside the years 1 to 9999");
  return whole === ZERO_SECONDS && micros === 0 ? undefined : { seconds: whole, micros };
}

function textOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** Whole seconds: Kubernetes drops fractions in both directions. */
const timeForm: Form = {
  write: (value) => (value === undefined ? {} : fieldsOf({ ...parseTime(value, "Time"), micros: 0 })),
  read: ({ seconds }) => {
    const instant = seconds === undefined ? undefined : readInstant({ seconds });
    return instant === undefined ? undefined : `${textOf(instant.seconds)}Z`;
  },
};

const microTimeForm: Form = {
  write: (value) => (value === undefined ? {} : fieldsOf(parseTime(value, "MicroTime"))),
  read: (fields) => {
    const instant = readInstant(fields);
    if (instant === undefined) return undefined;
    return `${textOf(instant.seconds)}.${String(instant.micros).padStart(6, "0")}Z`;
  },
};

/** In the notation of the tables. */
export const SPECIAL_MESSAGES = `
Time = 1 seconds? int64, 2 nanos? int32
MicroTime = 1 seconds? int64, 2 nanos? int32
Quantity = 1 string! string
IntOrString = 1 type! int64, 2 intVal! int32, 3 strVal! string
Raw = 1 raw? json
FieldsV1 = 1 Raw? json
Strings = 1 items []string
SchemaOrArray = 1 schema? extensions.JSONSchemaProps, 2 schemas []extensions.JSONSchemaProps
SchemaOrBool = 1 allows! bool, 2 schema? extensions.JSONSchemaProps
SchemaOrStrings = 1 schema? extensions.JSONSchemaProps, 2 property []string
`;

const quantityForm: Form = {
  write: (value = "0") => {
    if (typeof value !== "string" && typeof value !== "number") throw mistyped(value, "Quantity");
    return { string: String(value) };
  },
  read: ({ string }) => string ?? "0",
};

const intOrStringForm: Form = {
  write: (value = 0) => {
    if (typeof value === "string") return { type: 1, strVal: value };
    if (typeof value !== "number") throw mistyped(value, "IntOrString");
    return { intVal: value };
  },
  read: ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? "") : (intVal ?? 0)),
};

/** Any JSON, kept on the wire as its text. */
function rawForm(field: string): Form {
  return {
    write: (value) => (value === undefined ? {} : { [field]: value }),
    read: (fields) => fields[field],
  };
}

const stringsForm: Form = {
  write: (value = []) => {
    if (!Array.isArray(value)) throw mistyped(value, "list");
    return { items: value as readonly Json[] };
  },
  read: ({ items }) => items ?? [],
};

const schemaOrBoolForm: Form = {
  write: (value = false) => {
    if (typeof value === "boolean") return { allows: value };
    return { allows: true, schema: schemaOf(value) };
  },
  read: ({ allows, schema }) => schema ?? allows === true,
};

/** A schema or a list: the list wins when a message has both. */
function schemaOrListForm(list: string): Form {
  return {
    write: (value) => {
      if (value === undefined) return {};
      return Array.isArray(value) ? { [list]: value as readonly Json[] } : { schema: schemaOf(value) };
    },
    read: (fields) => fields[list] ?? fields["schema"],
  };
}

function schemaOf(value: Json): JsonObject {
  if (!isJsonObject(value)) throw mistyped(value, "JSONSchemaProps");
  return value;
}

export const FORMS: Readonly<Record<string, Form>> = {
  Time: timeForm,
  MicroTime: microTimeForm,
  Quantity: quantityForm,
  IntOrString: intOrStringForm,
  Raw: rawForm("raw"),
  FieldsV1: rawForm("Raw"),
  Strings: stringsForm,
  SchemaOrArray: schemaOrListForm("schemas"),
  SchemaOrBool: schemaOrBoolForm,
  SchemaOrStrings: schemaOrListForm("property"),
};
