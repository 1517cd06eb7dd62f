// The product and its SDK as `npm install` leaves them in a node_modules folder of their own: copies, because a package
// is looked for above the files that run. What they depend on is linked from this tree.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIST } from "../journeys/program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");

export function installProduct(modules: string): { readonly program: string; readonly conformance: string } {
  const sdk = join(modules, "@countersign", "sdk");
  mkdirSync(sdk, { recursive: true });
  cpSync(join(ROOT, "sdk", "package.json"), join(sdk, "package.json"));
  execFileSync(process.execPath, [TSC, "-p", join(ROOT, "sdk", "tsconfig.build.json"), "--outDir", join(sdk, "dist")]);
  const product = join(modules, "countersign");
  mkdirSync(product, { recursive: true });
  for (const name of ["package.json", "deploy"]) cpSync(join(ROOT, name), join(product, name), { recursive: true });
  cpSync(DIST, join(product, "dist"), { recursive: true });
  for (const name of ["@types", ...dependencies()]) link(join(ROOT, "node_modules", name), join(modules, name));
  return { program: join(product, "dist", "bin", "countersign.js"), conformance: join(sdk, "dist", "command.js") };
}

function dependencies(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { dependencies: object };
  return Object.keys(manifest.dependencies);
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
