// The product as `npm pack` makes it and `npm install` leaves it: what is not in the archive is not there. What it
// depends on is linked from this tree, so that no registry is asked.

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface PackedProduct {
  /** The directory with the programs, for a PATH. */
  readonly bin: string;
}

/** What an author of a provider installs besides: the SDK as it is published, and a compiler. */
export function installSdk(app: string): void {
  const modules = join(app, "node_modules");
  const sdk = join(modules, "@countersign", "sdk");
  mkdirSync(sdk, { recursive: true });
  cpSync(join(ROOT, "sdk", "package.json"), join(sdk, "package.json"));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", join(ROOT, "sdk", "tsconfig.build.json"), "--outDir", join(sdk, "dist")]);
  for (const name of ["@types", "typescript"]) symlink(join(ROOT, "node_modules", name), join(modules, name));
  symlink(join("..", "typescript", "bin", "tsc"), join(modules, ".bin", "tsc"));
  chmodSync(join(sdk, "dist", "command.js"), 0o755);
  symlink(join("..", "@countersign", "sdk", "dist", "command.js"), join(modules, ".bin", "countersign-conformance"));
}

/** Into `app/node_modules`. */
export function installPacked(app: string): PackedProduct {
  const modules = join(app, "node_modules");
  const product = join(modules, "countersign");
  const bin = join(modules, ".bin");
  for (const folder of [product, bin]) mkdirSync(folder, { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", app];
  execFileSync("npm", pack, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const archive = readdirSync(app).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", join(app, archive), "-C", product, "--strip-components=1"]);
  const manifest = JSON.parse(readFileSync(join(product, "package.json"), "utf8")) as Manifest;
  for (const name of Object.keys(manifest.dependencies)) symlink(join(ROOT, "node_modules", name), join(modules, name));
  for (const [name, path] of Object.entries(manifest.bin)) {
    chmodSync(join(product, path), 0o755);
    symlink(join("..", "countersign", path), join(bin, name));
  }
  return { bin };
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

function symlink(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
