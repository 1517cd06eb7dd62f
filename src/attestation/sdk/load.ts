// A provider from an installed package, by the package's name: the machine loads `<package>/node`, the controller
// `<package>/verifier`. Every failure is a Fault that names the package and what was expected of it.

import { pathToFileURL } from "node:url";
import type { EndorsementKeySource, JsonObject, NodeProvider, Verifier } from "@countersign/sdk";
import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../../platform/files/index.ts";
import { type FindOptions, findModule } from "./find-package.ts";
import { wordsOf } from "./guarded.ts";
import { checkEndorsementKeySource, checkProvider, checkVerifier } from "./shape.ts";

interface LoadOptions extends FindOptions {
  /** The operator's, for this provider; left out: none. */
  readonly settings?: JsonObject | undefined;
}

/** An import, and with it all that an installed module does when it is loaded. */
type LoadModule = () => Promise<unknown>;
type Factory = (settings: JsonObject) => unknown;

export async function loadProvider(packageName: string, options: LoadOptions = {}): Promise<NodeProvider> {
  const { load, where } = await findEnd(packageName, "node", options);
  return await makeProvider(load, where, options.settings);
}

export async function loadVerifier(packageName: string, options: LoadOptions = {}): Promise<Verifier> {
  const { load, where } = await findEnd(packageName, "verifier", options);
  return await makeVerifier(load, where, options.settings);
}

export async function loadEndorsementKeySource(
  packageName: string,
  options: LoadOptions = {},
): Promise<EndorsementKeySource> {
  const end = await findEnd(packageName, "verifier", options);
  return checkEndorsementKeySource(await make(end, "createEndorsementKeySource", options.settings), end.where);
}

/** From a module that the caller imports, such as the provider's own credential plugin. */
export async function makeProvider(load: LoadModule, where: string, settings?: JsonObject): Promise<NodeProvider> {
  return checkProvider(await make({ load, where }, "createProvider", settings), where);
}

/** As above, for the controller's end. */
export async function makeVerifier(load: LoadModule, where: string, settings?: JsonObject): Promise<Verifier> {
  return checkVerifier(await make({ load, where }, "createVerifier", settings), where);
}

interface End {
  readonly load: LoadModule;
  /** `<package>/<end>`, for messages. */
  readonly where: string;
}

async function findEnd(packageName: string, end: "node" | "verifier", options: FindOptions): Promise<End> {
  const path = await findModule(packageName, end, options);
  return { load: () => import(pathToFileURL(path).href), where: `${packageName}/${end}` };
}

async function make({ load, where }: End, factory: string, settings: JsonObject = {}): Promise<unknown> {
  const module = await explained(`${where} cannot be loaded`, load);
  const create = (module as Readonly<Record<string, unknown>>)[factory];
  if (typeof create !== "function") throw new Fault("bad-config", `${where} exports no function ${factory}`);
  return await explained(`${where} refuses its settings`, () => (create as Factory)(settings));
}

/** Installed code may throw anything. */
async function explained(what: string, act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (cause) {
    throw new Fault("bad-config", `${what}: ${wordsOf(cause)}`, { cause });
  }
}

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
