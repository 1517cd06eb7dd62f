// JSON merge patch, RFC 7396: objects merge, null removes, everything else replaces. Pure.

import { isJsonObject, type Json } from "../../../kernel/json/index.ts";

export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  // A map has no prototype that a key could reach.
  const merged = new Map<string, Json>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, applyMergePatch(merged.get(key) ?? null, value));
  }
  return Object.fromEntries(merged);
}
