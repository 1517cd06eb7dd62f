// The manifests of deploy/ that an embedded cluster begins with. The build keeps them as JSON beside the code, because to read 28 KB
// of YAML takes 140 ms at a start; a tree that was not built reads the YAML.

import { existsSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../api/meta/index.ts";
import { loadShippedFile, shippedPath } from "./shipped-file.ts";

/** @param path such as `deploy/controller-rbac.yaml`; one that is read here is in the list of tools/bundle.mjs */
export async function loadManifest(path: string): Promise<readonly KubeObject[]> {
  const built = path.replace(/yaml$/, "json");
  if (existsSync(shippedPath(built))) return JSON.parse(await loadShippedFile(built));
  return parseAllDocuments(await loadShippedFile(path)).map((document) => document.toJS());
}
