// Files that the package ships beside its code, and the manifests of deploy/ among them that an embedded cluster begins
// with. The build keeps those manifests as JSON, because parsing 28 KB of YAML takes 140 ms at a start; a tree that was
// not built reads the YAML.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import type { KubeObject, Resource } from "../api/meta/index.ts";
import { Fault } from "../kernel/outcome/index.ts";
import type { WantedObject } from "./wanted-objects.ts";

const DEFINITIONS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const DEFINITION_FILES = ["deploy/crds/joinpolicies.yaml", "deploy/crds/nodeidentities.yaml"];

/** JoinPolicy and NodeIdentity, as deploy/crds defines them for every cluster. */
export async function loadOwnDefinitions(): Promise<readonly WantedObject[]> {
  const objects = (await Promise.all(DEFINITION_FILES.map(loadManifest))).flat();
  return objects.map((object) => ({ resource: DEFINITIONS, object }));
}

/** @param path such as `deploy/controller-rbac.yaml`; tools/bundle.mjs lists each path that is read here */
export async function loadManifest(path: string): Promise<readonly KubeObject[]> {
  const built = path.replace(/yaml$/, "json");
  if (existsSync(shippedPath(built))) return JSON.parse(await loadShippedFile(built));
  return parseAllDocuments(await loadShippedFile(path)).map((document) => document.toJS());
}

async function loadShippedFile(path: string): Promise<string> {
  try {
    return await readFile(shippedPath(path), "utf8");
  } catch (cause) {
    throw new Fault("io-failed", `cannot read ${path}, which belongs to the installation`, { cause });
  }
}

/**
 * Where the file is, or would be: in the build or in the package, and no further up, because what lies above a package
 * is not part of it. Searched upwards from the calling module, since bundling changes how deep a module stands.
 */
export function shippedPath(path: string, folder: string = dirname(fileURLToPath(import.meta.url))): string {
  const here = join(folder, path);
  const parent = dirname(folder);
  const isTop = parent === folder || existsSync(join(folder, "package.json"));
  return isTop || existsSync(here) ? here : shippedPath(path, parent);
}
