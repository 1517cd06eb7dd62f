// What a client should know about a definition that was accepted, as Warning headers.

import { isJsonObject, type Json } from "../../../kernel/json/index.ts";
import type { Definition } from "./definition.ts";
import { hasUnreadRules, isKnownFormat, parseSchema } from "./schema/index.ts";

const UNREAD_RULES = "x-kubernetes-validations are stored but not evaluated by this server";
const NO_WEBHOOK = "spec.conversion: webhooks are not called by this server, only apiVersion is converted";

export function definitionWarnings({ spec }: Definition): readonly string[] {
  const schemas = (spec.versions ?? []).map((version) => version.schema?.openAPIV3Schema);
  const formats = new Set(schemas.flatMap((schema) => formatsIn(schema)));
  return [
    ...[...formats].filter((format) => !isKnownFormat(format)).map((format) => `unrecognized format "${format}"`),
    // differs from upstream: there is no CEL here. Cluster API's definitions carry such rules and work without them.
    ...(schemas.some((schema) => hasUnreadRules(parseSchema(schema))) ? [UNREAD_RULES] : []),
    // differs from upstream: Cluster API's definitions name a webhook; their objects are kept and shown as they came.
    ...(spec.conversion?.strategy === "Webhook" ? [NO_WEBHOOK] : []),
  ];
}

function formatsIn(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return Array.isArray(schema) ? schema.flatMap((one: Json) => formatsIn(one)) : [];
  const own = typeof schema["format"] === "string" && schema["format"] !== "" ? [schema["format"]] : [];
  return [...own, ...Object.values(schema).flatMap((inner) => formatsIn(inner))];
}
