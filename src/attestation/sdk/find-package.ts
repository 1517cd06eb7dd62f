// Finds an installed package by its name: in the node_modules folders above this program, or above a folder that the
// operator names. Never in the working directory: a user who may choose that must not choose code that runs as root.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../../platform/files/index.ts";
import { isProviderName } from "../evidence/index.ts";

/** npm's rule, without the upper case of old packages. */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
const MAX_NAME_CHARACTERS = 214;
/** A manifest that is larger is none. */
const MAX_MANIFEST_OCTETS = 262_144;
/** Those that hold where Node imports a module. */
const CONDITIONS: ReadonlySet<string> = new Set(["node", "import", "default"]);

export interface FindOptions {
  /** Absolute; left out: where this program is installed. */
  readonly installedAbove?: string | undefined;
}

/** The file behind `<package>/<end>`, as the package's `exports` say. */
export async function findModule(name: string, end: "node" | "verifier", options: FindOptions = {}): Promise<string> {
  const found = await findPackage(name, options);
  if (found !== undefined) return join(found.folder, exportOf(found.manifest, name, end));
  throw new Fault(
    "bad-config",
    `provider package ${name} is not installed in a node_modules folder above ${startOf(options)}; install it there: npm install ${name}`,
  );
}

/**
 * The package that a provider's name means: `acme` is kubelet-authenticator-acme, as `countersign provider new` names
 * it; where there is no such package, the name is a package's own.
 */
export async function providerPackageOf(word: string, options: FindOptions = {}): Promise<string> {
  if (!isProviderName(word)) return word;
  const named = `kubelet-authenticator-${word}`;
  const isOwnName =
    (await findPackage(named, options)) === undefined && (await findPackage(word, options)) !== undefined;
  return isOwnName ? word : named;
}

function startOf({ installedAbove }: FindOptions): string {
  return installedAbove ?? dirname(fileURLToPath(import.meta.url));
}

interface Found {
  readonly folder: string;
  readonly manifest: unknown;
}

async function findPackage(name: string, options: FindOptions): Promise<Found | undefined> {
  if (!PACKAGE_NAME.test(name) || name.length > MAX_NAME_CHARACTERS)
    throw new Fault("bad-config", `${JSON.stringify(name.slice(0, 80))} is not the name of an npm package`);
  return (
    (await findIn("node_modules", name, options)) ??
    (SHIPPED.has(name) ? findIn("providers", name, options) : undefined)
  );
}

/** Those that the product brings with it, in its own folder `providers`; one that is installed comes before. */
const SHIPPED: ReadonlySet<string> = new Set(["kubelet-authenticator-machine-key"]);

async function findIn(place: string, name: string, options: FindOptions): Promise<Found | undefined> {
  for (const above of foldersAbove(startOf(options))) {
    const folder = join(above, place, name);
    const manifest = await readManifest(join(folder, "package.json"));
    if (manifest !== undefined) return { folder, manifest };
  }
  return undefined;
}

function foldersAbove(start: string): readonly string[] {
  const parent = dirname(start);
  return parent === start ? [start] : [start, ...foldersAbove(parent)];
}

async function readManifest(path: string): Promise<unknown> {
  try {
    const bytes = await nodeFileSystem.read(path);
    if (bytes.length > MAX_MANIFEST_OCTETS)
      throw new Fault("limit-exceeded", `${path} is too large for a package.json`);
    return JSON.parse(parseUtf8(bytes)) as unknown;
  } catch (failure) {
    if (isFault(failure, "not-found")) return undefined;
    if (!(failure instanceof SyntaxError)) throw failure;
    throw new Fault("malformed", `${path} is not JSON: ${failure.message}`, { cause: failure });
  }
}

function exportOf(manifest: unknown, name: string, end: string): string {
  const target = targetOf(member(member(manifest, "exports"), `./${end}`));
  if (typeof target !== "string")
    throw new Fault("bad-config", `package ${name} exports no ./${end}; it is no provider of this kind`);
  if (!target.startsWith("./") || target.split("/").includes(".."))
    throw new Fault("bad-config", `package ${name} exports ./${end} from outside of itself`);
  return target;
}

/**
 * As a module loader chooses: in the package's own order, the first condition that holds and leads somewhere,
 * conditions within conditions included. `null` is a package's word for "not here", and ends the search; undefined goes
 * on.
 */
function targetOf(exported: unknown): string | null | undefined {
  if (typeof exported === "string" || exported === null) return exported;
  if (typeof exported !== "object") return undefined;
  for (const [condition, inner] of Object.entries(exported)) {
    const target = CONDITIONS.has(condition) ? targetOf(inner) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
