// What a kind looks like: its fields, their types, and how two versions of a value are merged. One description serves
// field validation, strategic merge patches, server-side apply and OpenAPI. Built-in kinds come from the table of
// messages (built-in.ts), custom ones from their own schema (kind.ts). Pure.

export type ScalarType =
  | "string"
  | "boolean"
  | "integer"
  | "long"
  | "number"
  | "bytes"
  | "time"
  | "microtime"
  | "duration"
  | "quantity"
  | "int-or-string";

export interface ScalarSchema {
  readonly kind: "scalar";
  readonly type: ScalarType;
}

/** Anything at all. Atomic: one owner for the whole of it; otherwise its maps merge key by key. */
export interface AnySchema {
  readonly kind: "any";
  readonly isAtomic: boolean;
  /** Where its type has a name in documents: `meta.FieldsV1`. */
  readonly name?: string;
}

export interface Field {
  readonly schema: Schema;
  /** Absence has a meaning of its own: a zero value is kept. */
  readonly isPointer: boolean;
  /** An absent or zero value is not written. */
  readonly omitsEmpty: boolean;
  /** OpenAPI documents call it required. */
  readonly isRequired: boolean;
  /** A strategic merge patch may say which keys of it remain. */
  readonly retainsKeys: boolean;
}

export interface StructSchema {
  readonly kind: "struct";
  /** `core.v1.NodeSpec`; empty for the structs of custom kinds. */
  readonly name: string;
  /** Made on first use: some types contain themselves. */
  fields(): ReadonlyMap<string, Field>;
  readonly isAtomic: boolean;
  /** Unknown fields pass, with any value. */
  readonly isOpen: boolean;
}

interface MapSchema {
  readonly kind: "map";
  readonly value: Schema;
  readonly isAtomic: boolean;
}

type ListType = "atomic" | "set" | "map";

export interface ListSchema {
  readonly kind: "list";
  readonly item: Schema;
  /** How server-side apply sees it: one value, a set of scalars, or items with keys. */
  readonly listType: ListType;
  readonly keys: readonly string[];
  /** Values of keys that an item leaves out: the protocol of a port. */
  readonly keyDefaults: Readonly<Record<string, string>>;
  /** Strategic merge patches merge the elements, by this field; without a field the elements are scalars. */
  readonly patchMerge: { readonly key: string | undefined } | undefined;
}

export type Schema = ScalarSchema | AnySchema | StructSchema | MapSchema | ListSchema;

export const ANY: AnySchema = { kind: "any", isAtomic: false };
export const ANY_ATOMIC: AnySchema = { kind: "any", isAtomic: true };

/** The schema of one member of a map-like value; undefined when there is none. */
export function memberOf(schema: Schema, name: string): Schema | undefined {
  switch (schema.kind) {
    case "struct":
      return schema.fields().get(name)?.schema ?? (schema.isOpen ? ANY : undefined);
    case "map":
      return schema.value;
    case "any":
      return schema;
    default:
      return undefined;
  }
}

/** The schema of the elements of a list. */
export function itemOf(schema: Schema): Schema {
  return schema.kind === "list" ? schema.item : ANY;
}
