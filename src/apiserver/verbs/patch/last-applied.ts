// The annotation in which kubectl's client-side apply keeps what it applied last; by it kubectl's server-side apply
// takes over. k8s.io/apimachinery/pkg/util/managedfields: lastappliedmanager.go and lastappliedupdater.go.

import { encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../../kernel/json/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { type Conflict, isWithin, unchangedFields } from "../../ownership/index.ts";
import type { Schema } from "../../schema/index.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** True when every field in conflict is one that kubectl applied last and that has not changed since. */
export function isExcusedByLastApplied(conflicts: readonly Conflict[], live: Json, schema: Schema): boolean {
  const last = lastAppliedOf(live);
  if (last === undefined) return false;
  const allowed = unchangedFields(last, live, schema);
  return conflicts.every(({ fields }) => isWithin(fields, allowed));
}

/** Keeps an existing annotation up to date: a later client-side apply must not undo this one. */
export function withLastApplied(object: Json, configuration: JsonObject, manager: string): Json {
  if (manager !== "kubectl" || !isJsonObject(object) || annotationOf(object) === undefined) return object;
  const metadata = objectOf(object, "metadata");
  const text = `${JSON.stringify(withoutAnnotation(configuration))}\n`;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...objectOf(metadata, "annotations"), [ANNOTATION]: text } },
  };
}

function withoutAnnotation(configuration: JsonObject): JsonObject {
  const metadata = objectOf(configuration, "metadata");
  if (!isJsonObject(metadata["annotations"])) return configuration;
  const { [ANNOTATION]: _last, ...annotations } = metadata["annotations"];
  return { ...configuration, metadata: { ...metadata, annotations } };
}

function lastAppliedOf(live: Json): Json | undefined {
  const text = annotationOf(live);
  if (text === undefined) return undefined;
  try {
    return parseJson(encodeUtf8(text));
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function annotationOf(object: Json): string | undefined {
  if (!isJsonObject(object)) return undefined;
  const text = objectOf(objectOf(object, "metadata"), "annotations")[ANNOTATION];
  return typeof text === "string" ? text : undefined;
}

function objectOf(parent: JsonObject, name: string): JsonObject {
  const value = parent[name];
  return isJsonObject(value) ? value : {};
}
