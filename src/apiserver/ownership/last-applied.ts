// What of a configuration that was applied elsewhere still stands unchanged in the live object.

import type { Json } from "../../kernel/json/index.ts";
import type { Schema } from "../schema/schema.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, isEmpty, unionOf } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";

export function unchangedFields(configuration: Json, live: Json, schema: Schema): FieldSet {
  const { added, modified, removed } = compare(configuration, live, schema);
  return difference(fieldsOf(configuration, schema), unionOf([added, modified, removed]));
}

export function isWithin(set: FieldSet, allowed: FieldSet): boolean {
  return isEmpty(difference(set, allowed));
}
