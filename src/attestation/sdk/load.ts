// A provider from an installed package, by the package's name: the machine loads `<package>/node`, the controller
// `<package>/verifier`. Every way in which that can fail is a Fault that names the package and what was expected of it.
import { pathToFileURL } from "node:url";
import type { EndorsementKeySource, JsonObject, NodeProvider, Verifier } from "@countersign/sdk";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type FindOptions, findModule } from "./find-package.ts";
import { checkEndorsementKeySource, checkProvider, checkVerifier } from "./shape.ts";

export interface LoadOptions extends FindOptions {
  /** The operator's, for this provider; left out: none. */
  readonly settings?: JsonObject | undefined;
}

type Factory = (settings: JsonObject) => unknown;

export async function loadProvider(packageName: string, options: LoadOptions = {}): Promise<NodeProvider> {
  const { module, where } = await loadEnd(packageName, "node", options);
  return await makeProvider(module, where, options.settings);
}

export async function loadVerifier(packageName: string, options: LoadOptions = {}): Promise<Verifier> {
  const { module, where } = await loadEnd(packageName, "verifier", options);
  return await makeVerifier(module, where, options.settings);
}

export async function loadEndorsementKeySource(
  packageName: string,
  options: LoadOptions = {},
): Promise<EndorsementKeySource> {
  const end = await loadEnd(packageName, "verifier", options);
  return checkEndorsementKeySource(await make(end, "createEndorsementKeySource", options.settings), end.where);
}

/** From a module that somebody else loaded, such as the provider's own credential plugin. */
export async function makeProvider(module: unknown, where: string, settings?: JsonObject): Promise<NodeProvider> {
  return checkProvider(await make({ module, where }, "createProvider", settings), where);
}

/** As above, for the controller's end. */
export async function makeVerifier(module: unknown, where: string, settings?: JsonObject): Promise<Verifier> {
  return checkVerifier(await make({ module, where }, "createVerifier", settings), where);
}

interface End {
  readonly module: unknown;
  /** `<package>/<end>`, for messages. */
  readonly where: string;
}

async function loadEnd(packageName: string, end: "node" | "verifier", options: FindOptions): Promise<End> {
  const where = `${packageName}/${end}`;
  const path = await findModule(packageName, end, options);
  const module = await explained(`${where} cannot be loaded`, () => import(pathToFileURL(path).href));
  return { module, where };
}

async function make({ module, where }: End, factory: string, settings: JsonObject = {}): Promise<unknown> {
  const create = (module as Readonly<Record<string, unknown>>)[factory];
  if (typeof create !== "function") throw new Fault("bad-config", `${where} exports no function ${factory}`);
  return await explained(`${where} refuses its settings`, () => (create as Factory)(settings));
}

/** A stranger's code may throw anything. */
async function explained(what: string, act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (cause) {
    if (isFault(cause)) throw cause;
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new Fault("bad-config", `${what}: ${words.slice(0, 500)}`, { cause });
  }
}
