// The empty object of a kind, as Go writes it: with structs that are no pointers, and with fields that have no
// omitempty. A new object is compared with it, so that its creator owns what it set and not what is always there.

import type { Json, JsonObject } from "../../kernel/json/index.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";

/** One immutable value for each kind. */
const known = new WeakMap<StructSchema, JsonObject>();

export function zeroOf(schema: StructSchema): JsonObject {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const zero = makeZero(schema);
  known.set(schema, zero);
  return zero;
}

function makeZero(schema: StructSchema): JsonObject {
  const entries = [...schema.fields()].flatMap(([name, field]): [string, Json][] => {
    const value = zeroField(field);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function zeroField({ schema, isPointer, omitsEmpty }: Field): Json | undefined {
  if (isPointer) return undefined;
  if (schema.kind === "struct") return zeroOf(schema);
  return omitsEmpty && !isTime(schema) ? undefined : zeroValue(schema);
}

function isTime(schema: Schema): boolean {
  return schema.kind === "scalar" && (schema.type === "time" || schema.type === "microtime");
}

function zeroValue(schema: Schema): Json {
  if (schema.kind !== "scalar") return null;
  switch (schema.type) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "long":
    case "number":
    case "int-or-string":
      return 0;
    case "quantity":
      return "0";
    default:
      return null;
  }
}
