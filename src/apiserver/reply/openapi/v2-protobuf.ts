// A document of version 2 as protobuf: the one form in which kubectl asks for it. The messages are those of
// gnostic's openapi.v2 (github.com/google/gnostic-models/openapiv2), as far as our documents use them.

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json/index.ts";
import { encodeMessage } from "../../encoding/encode-message.ts";
import type { Form } from "../../encoding/message.ts";
import { createMessageTables } from "../../encoding/notation.ts";
import { createWriter, writtenBytes } from "../../encoding/wire-writer.ts";

/** In the notation of the tables; every field may be absent. */
const MESSAGES = `
Document = 1 swagger? string, 2 info? Info, 8 paths? Paths, 9 definitions? Schemas
Info = 1 title? string, 2 version? string
Paths = 2 named {}PathItem
PathItem = 2 get? Operation, 3 put? Operation, 4 post? Operation, 5 delete? Operation, 8 patch? Operation,
  9 parameters []ParametersItem
Operation = 6 produces []string, 7 consumes []string, 8 parameters []ParametersItem, 9 responses? Responses,
  13 extensions {}Any
ParametersItem = 1 parameter? Parameter
Parameter = 1 body? BodyParameter, 2 other? OtherParameter
BodyParameter = 2 name? string, 3 in? string, 4 required? bool, 5 schema? Schema
OtherParameter = 3 query? QueryParameter, 4 path? PathParameter
QueryParameter = 1 required? bool, 2 in? string, 4 name? string, 6 type? string, 20 uniqueItems? bool
PathParameter = 1 required? bool, 2 in? string, 4 name? string, 5 type? string, 19 uniqueItems? bool
Responses = 1 named {}ResponseValue
ResponseValue = 1 response? Response
Response = 1 description? string, 2 schema? SchemaItem
SchemaItem = 1 schema? Schema
Schemas = 1 named {}Schema
Schema = 1 $ref? string, 2 format? string, 3 title? string, 4 description? string, 5 default? Any, 6 multipleOf? double,
  7 maximum? double, 8 exclusiveMaximum? bool, 9 minimum? double, 10 exclusiveMinimum? bool, 11 maxLength? int64,
  12 minLength? int64, 13 pattern? string, 14 maxItems? int64, 15 minItems? int64, 16 uniqueItems? bool,
  17 maxProperties? int64, 18 minProperties? int64, 19 required []string, 20 enum []Any,
  21 additionalProperties? SchemaOrBool, 22 type? Types, 23 items? Items, 25 properties? Schemas, 30 example? Any,
  31 extensions {}Any
SchemaOrBool = 1 schema? Schema, 2 boolean? bool
Types = 1 value []string
Items = 1 schema []Schema
Any = 2 yaml? string
`;

function members(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Fields that begin with x- are in a list of their own. */
function withExtensions(value: Json | undefined): JsonObject {
  const all = Object.entries(members(value));
  const extensions = Object.fromEntries(all.filter(([name]) => name.startsWith("x-")));
  return { ...Object.fromEntries(all.filter(([name]) => !name.startsWith("x-"))), extensions };
}

/** Messages that wrap what JSON writes directly; they are never read back. */
function wrapping(write: (value: Json) => JsonObject): Form {
  return { write: (value = null) => write(value), read: () => undefined };
}

const FORMS: Readonly<Record<string, Form>> = {
  Paths: wrapping((named) => ({ named })),
  Schemas: wrapping((named) => ({ named })),
  Responses: wrapping((named) => ({ named })),
  ResponseValue: wrapping((response) => ({ response })),
  SchemaItem: wrapping((schema) => ({ schema })),
  Operation: wrapping(withExtensions),
  Schema: wrapping(withExtensions),
  ParametersItem: wrapping((parameter) => ({ parameter })),
  Parameter: wrapping((one) => (members(one)["in"] === "body" ? { body: one } : { other: one })),
  OtherParameter: wrapping((one) => (members(one)["in"] === "path" ? { path: one } : { query: one })),
  SchemaOrBool: wrapping((value) => (typeof value === "boolean" ? { boolean: value } : { schema: value })),
  Types: wrapping((type) => ({ value: [type] })),
  Items: wrapping((schema) => ({ schema: [schema] })),
  // JSON is YAML.
  Any: wrapping((value) => ({ yaml: `${JSON.stringify(value)}\n` })),
};

const TABLES = createMessageTables({ packages: new Map(), special: MESSAGES, forms: FORMS });

export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const message = TABLES.find("", "Document");
  const writer = createWriter();
  if (message !== undefined) encodeMessage(writer, message, document);
  return writtenBytes(writer);
}
