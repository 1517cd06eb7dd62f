// What one protobuf message looks like, and which JSON it stands for. Made from the tables in messages/ by notation.ts.

import type { Json, JsonObject } from "../../kernel/json/index.ts";

export type Scalar = "string" | "bytes" | "json" | "bool" | "int32" | "int64" | "double";

/**
 * What JSON says about an unset field. `omitted`: nothing, and neither about an empty one. `always`: its empty value.
 * `pointer`: nothing, while an empty one is told; only such a field can be left out on the wire as well.
 */
export type Presence = "omitted" | "always" | "pointer";

export interface Field {
  readonly number: number;
  /** Undefined: the fields of this message stand in JSON beside their neighbours, while on the wire they are nested. */
  readonly name: string | undefined;
  readonly presence: Presence;
  readonly shape: "single" | "list" | "map";
  readonly scalar: Scalar | undefined;
  /** Of a field that is no scalar. A function, because messages may hold themselves. */
  readonly message: () => Message;
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
  /** Where its table is; empty for the messages with a form, which belong to none. */
  readonly packageName: string;
  /** By ascending number, which is the order on the wire. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly form: Form | undefined;
}
