// The schemas of built-in kinds: the field tables (resources/groups/) read as a description of JSON. A schema is made
// on first use.

import { apiVersionOf, type Resource } from "../../api/meta/index.ts";
import { findMessage, type Message, type MessageField } from "../encoding/index.ts";
import { ANY, ANY_ATOMIC, type Field, type ScalarType, type Schema, type StructSchema } from "./schema.ts";

/** A port that names no protocol is a TCP port, also as the key of its list. */
const KEY_DEFAULTS: Readonly<Record<string, string>> = { protocol: "TCP" };

const SCALARS: Readonly<Record<string, ScalarType>> = {
  string: "string",
  bytes: "bytes",
  bool: "boolean",
  int32: "integer",
  int64: "long",
  double: "number",
};

/** Messages whose JSON is not an object of their fields. */
const FORM_SCHEMAS: Readonly<Record<string, Schema>> = {
  Time: { kind: "scalar", type: "time" },
  MicroTime: { kind: "scalar", type: "microtime" },
  Quantity: { kind: "scalar", type: "quantity" },
  IntOrString: { kind: "scalar", type: "int-or-string" },
  Raw: ANY_ATOMIC,
  FieldsV1: { ...ANY_ATOMIC, name: "meta.FieldsV1" },
  Strings: listOf({ kind: "scalar", type: "string" }),
  SchemaOrArray: { ...ANY, name: "extensions.JSONSchemaPropsOrArray" },
  SchemaOrBool: { ...ANY, name: "extensions.JSONSchemaPropsOrBool" },
  SchemaOrStrings: { ...ANY, name: "extensions.JSONSchemaPropsOrStringArray" },
};

const structs = new Map<Message, StructSchema>();
const kinds = new Map<Message, StructSchema>();
/** By identity: it is asked for several times a request, with the same few values. */
const byResource = new WeakMap<Resource, StructSchema>();

/** Undefined for a kind that is not built in. */
export function builtInSchema(resource: Resource): StructSchema | undefined {
  const asked = byResource.get(resource);
  if (asked !== undefined) return asked;
  const message = findMessage({ apiVersion: apiVersionOf(resource), kind: resource.kind });
  if (message === undefined) return undefined;
  const known = kinds.get(message) ?? makeStruct(message, TYPE_FIELDS);
  kinds.set(message, known);
  byResource.set(resource, known);
  return known;
}

function structOf(message: Message): StructSchema {
  const known = structs.get(message) ?? makeStruct(message, []);
  structs.set(message, known);
  return known;
}

function makeStruct(message: Message, first: readonly (readonly [string, Field])[]): StructSchema {
  const name = `${message.packageName}.${message.name}`;
  let fields: ReadonlyMap<string, Field> | undefined;
  return {
    kind: "struct",
    name,
    isAtomic: message.isAtomic,
    isOpen: false,
    fields: () => {
      fields ??= new Map([...first, ...message.fields.flatMap((field) => readField(message, field))]);
      return fields;
    },
  };
}

function readField(message: Message, field: MessageField): readonly (readonly [string, Field])[] {
  // Nested on the wire, beside its neighbours in JSON.
  if (field.name === undefined) return field.message().fields.flatMap((inner) => readField(field.message(), inner));
  const read: Field = {
    schema: shapedOf(field, message.packageName),
    isPointer: field.presence === "pointer",
    omitsEmpty: field.presence !== "always",
    isRequired: field.isRequired,
    retainsKeys: field.merge?.retainsKeys ?? false,
  };
  return [[field.name, read]];
}

function shapedOf(field: MessageField, packageName: string): Schema {
  const single = singleOf(field, packageName);
  const { isAtomic, merge } = field;
  if (field.shape === "map") return { kind: "map", value: single, isAtomic: isAtomic === true };
  if (field.shape === "list") return { ...listOf(single), ...merge };
  return single.kind === "struct" && isAtomic !== undefined ? { ...single, isAtomic } : single;
}

function singleOf(field: MessageField, packageName: string): Schema {
  if (field.scalar !== undefined) {
    const type = SCALARS[field.scalar];
    return type === undefined ? ANY_ATOMIC : { kind: "scalar", type };
  }
  const message = field.message();
  if (message.name === "Raw")
    return { ...ANY_ATOMIC, name: packageName === "extensions" ? "extensions.JSON" : "RawExtension" };
  return (message.form === undefined ? undefined : FORM_SCHEMAS[message.name]) ?? structOf(message);
}

function listOf(item: Schema) {
  return {
    kind: "list",
    item,
    listType: "atomic",
    keys: [],
    keyDefaults: KEY_DEFAULTS,
    patchMerge: undefined,
  } as const;
}

const TYPE_FIELD: Field = {
  schema: { kind: "scalar", type: "string" },
  isPointer: false,
  omitsEmpty: true,
  isRequired: false,
  retainsKeys: false,
};

/** Fields of the root of an object that its message does not have. */
const TYPE_FIELDS: readonly (readonly [string, Field])[] = [
  ["apiVersion", TYPE_FIELD],
  ["kind", TYPE_FIELD],
];
