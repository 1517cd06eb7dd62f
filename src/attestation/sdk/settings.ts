// The operator's settings for a provider: one file of JSON, an object. What the members mean is the provider's business.
import type { JsonObject } from "@countersign/sdk";
import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../../platform/files/index.ts";

/** Paths, addresses, lists of names: a file that is larger was named by mistake. */
const MAX_SETTINGS_OCTETS = 262_144;

/** Without a path: no settings. */
export async function loadSettings(path: string | undefined): Promise<JsonObject> {
  if (path === undefined) return {};
  const bytes = await nodeFileSystem.read(path);
  if (bytes.length > MAX_SETTINGS_OCTETS) throw new Fault("limit-exceeded", `${path} is too large for settings`);
  const value = parseJson(path, bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Fault("bad-config", `${path} must hold a JSON object`);
  return value as JsonObject;
}

/** A word of a command line: `PACKAGE`, or `PACKAGE=FILE` with its settings. */
export async function loadPackageWord(word: string): Promise<{ packageName: string; settings: JsonObject }> {
  const [packageName = "", ...path] = word.split("=");
  return { packageName, settings: await loadSettings(path.length === 0 ? undefined : path.join("=")) };
}

function parseJson(path: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(parseUtf8(bytes)) as unknown;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Fault("bad-config", `${path} is not JSON: ${cause.message}`, { cause });
  }
}
