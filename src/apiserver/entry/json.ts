// Untrusted bytes -> a JSON value with limits on depth and without keys that JavaScript treats specially.

import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

/** The deepest Kubernetes objects (schemas in custom resource definitions) stay below sixty. */
export const MAX_JSON_DEPTH = 200;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fault `malformed` for anything but one JSON document. */
export function parseJson(bytes: Uint8Array): Json {
  let value: Json;
  try {
    value = JSON.parse(parseUtf8(bytes)) as Json;
  } catch (cause) {
    // The parser's own message quotes the input, and the input may hold a secret.
    throw new Fault("malformed", "the body of the request is not valid JSON", { cause });
  }
  checkJson(value);
  return value;
}

/**
 * differs from upstream: a key `__proto__` is refused, although a ConfigMap may have one there. Copying such a key by
 * assignment would change the prototype of an object instead of adding a field.
 */
export function checkJson(root: Json): void {
  const pending: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > MAX_JSON_DEPTH)
      throw new Fault("malformed", `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
    if (Object.hasOwn(next.value, "__proto__"))
      throw new Fault("malformed", 'JSON may not contain the key "__proto__"');
    for (const value of Object.values(next.value)) pending.push({ value, depth: next.depth + 1 });
  }
}
