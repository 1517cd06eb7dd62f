// The schema of any kind this server stores.

import type { Strategy } from "../resources/strategy.ts";
import { builtInSchema } from "./built-in.ts";
import { customSchema } from "./custom.ts";
import type { StructSchema } from "./schema.ts";

/** Undefined for a built-in kind that has no entry in the tables: its fields are taken as they come. */
export function schemaOfKind({ custom, resource }: Pick<Strategy, "custom" | "resource">): StructSchema | undefined {
  return custom === undefined ? builtInSchema(resource) : customSchema(custom.schema);
}
