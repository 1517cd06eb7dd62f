// One message of the field tables (resources/groups/): its protobuf fields, the JSON they stand for, what documents
// require of it and how its values merge. Made by notation.ts.

import type { Json, JsonObject } from "../../kernel/json/index.ts";

export type Scalar = "string" | "bytes" | "json" | "bool" | "int32" | "int64" | "double";

/**
 * How JSON writes a field. `omitted`: neither unset nor empty values. `always`: unset as its empty value. `pointer`:
 * empty values, but not unset ones; only such a field can be left out on the wire as well.
 */
export type Presence = "omitted" | "always" | "pointer";

export interface MessageField {
  readonly number: number;
  /** Undefined: the fields of this message stand in JSON beside their neighbours, while on the wire they are nested. */
  readonly name: string | undefined;
  readonly presence: Presence;
  /** OpenAPI documents call it required. */
  readonly isRequired: boolean;
  readonly shape: "single" | "list" | "map";
  /** Of a list that is not simply replaced. */
  readonly merge: ListMerge | undefined;
  /** Of a map or struct: overrides what its type says about having one owner for the whole of it. */
  readonly isAtomic: boolean | undefined;
  readonly scalar: Scalar | undefined;
  /** Of a field that is no scalar. A function, because messages may hold themselves. */
  readonly message: () => Message;
}

export interface ListMerge {
  /** How server-side apply sees the list: one value, a set of scalars, or items with keys. */
  readonly listType: "atomic" | "set" | "map";
  readonly keys: readonly string[];
  /** Strategic merge patches merge the elements, by this field; without a field the elements are scalars. */
  readonly patchMerge: { readonly key: string | undefined } | undefined;
  /** A strategic merge patch may say which keys of an element remain. */
  readonly retainsKeys: boolean;
}

/** A message whose JSON is no object of its fields: a time, a quantity, a choice. */
export interface Form {
  /** The fields that stand for a JSON value; undefined asks for the unset value. */
  write(value: Json | undefined): JsonObject;
  /** Undefined: the value is unset. */
  read(fields: JsonObject): Json | undefined;
}

export interface Message {
  readonly name: string;
  /** The package of its table; empty for messages with a form, which are in no package. */
  readonly packageName: string;
  /** Server-side apply knows one owner for the whole of it. */
  readonly isAtomic: boolean;
  /** By ascending number, which is the order on the wire. */
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
  readonly form: Form | undefined;
}
