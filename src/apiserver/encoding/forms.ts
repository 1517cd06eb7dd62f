// Messages whose JSON is not an object of their fields. k8s.io/apimachinery: meta/v1 (Time, MicroTime, FieldsV1), api/resource
// (Quantity), util/intstr, runtime (RawExtension); k8s.io/apiextensions-apiserver: the three choices of a schema.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { mistyped } from "./encode-faults.ts";
import type { Form } from "./message.ts";
import { microTimeForm, timeForm } from "./time-forms.ts";

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
