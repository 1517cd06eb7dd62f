// The kinds of our own that an embedded cluster serves: JoinPolicy and NodeIdentity, as deploy/crds defines them for every other.

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Wanted } from "./wanted.ts";

const DEFINITIONS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const FILES = ["joinpolicies.yaml", "nodeidentities.yaml"];

export async function loadOwnDefinitions(): Promise<readonly Wanted[]> {
  return await Promise.all(FILES.map(loadDefinition));
}

async function loadDefinition(file: string): Promise<Wanted> {
  try {
    const text = await readFile(new URL(`../../../deploy/crds/${file}`, import.meta.url), "utf8");
    const object: KubeObject = parse(text);
    return { resource: DEFINITIONS, object };
  } catch (cause) {
    throw new Fault("io-failed", `cannot read deploy/crds/${file}, which belongs to the installation`, { cause });
  }
}
