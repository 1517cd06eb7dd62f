// Reading the JSON of a schema as it was written.

import { isJsonObject, type Json, type JsonObject } from "../../../../kernel/json/index.ts";

export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
