// Strict reading of evidence, for every verifier: exactly the expected members, bytes in their one spelling. A problem
// is returned as undefined, never as an exception, because evidence is untrusted.
import type { JsonObject, JsonValue } from "./evidence.ts";

/** The members of an object that has exactly these keys. */
export function exactly<Key extends string>(
  value: JsonValue | undefined,
  keys: readonly Key[],
): Readonly<Record<Key, JsonValue>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const isExact = Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));
  return isExact ? (value as Readonly<Record<Key, JsonValue>>) : undefined;
}

/** Standard base64 with padding; another spelling of the same bytes is refused. */
export function bytesOf(value: JsonValue | undefined): Uint8Array | undefined {
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? new Uint8Array(bytes) : undefined;
}

export function encodeBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** A setting that must be there; a TypeError that names it where it is not. */
export function textSetting(settings: JsonObject, name: string): string {
  const value = settings[name];
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`setting ${name} must be a text`);
}

/** A setting that may be left out. */
export function optionalText(settings: JsonObject, name: string, otherwise: string): string {
  return settings[name] === undefined ? otherwise : textSetting(settings, name);
}

export function listSetting(settings: JsonObject, name: string): readonly string[] {
  const value = settings[name];
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
  if (isList) return value as readonly string[];
  throw new TypeError(`setting ${name} must be a list of texts`);
}
