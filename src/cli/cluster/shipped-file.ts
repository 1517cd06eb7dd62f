// Files that the package ships beside its code, such as deploy/. Looked for above the module that asks and not at a distance
// from it: the build puts modules together, so how deep one stands is not for its source to know.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault } from "../../kernel/outcome/index.ts";

/** @param path such as `deploy/controller-rbac.yaml` */
export async function loadShippedFile(path: string): Promise<string> {
  try {
    return await readFile(shippedPath(path), "utf8");
  } catch (cause) {
    throw new Fault("io-failed", `cannot read ${path}, which belongs to the installation`, { cause });
  }
}

/** Where it is, or would be: in the build or in the package, and no further up. What lies above a package is somebody else's. */
export function shippedPath(path: string, folder: string = dirname(fileURLToPath(import.meta.url))): string {
  const here = join(folder, path);
  const parent = dirname(folder);
  const isTop = parent === folder || existsSync(join(folder, "package.json"));
  return isTop || existsSync(here) ? here : shippedPath(path, parent);
}
