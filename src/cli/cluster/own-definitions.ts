// The kinds of our own that an embedded cluster serves: JoinPolicy and NodeIdentity, as deploy/crds defines them for every other.

import type { Resource } from "../../api/meta/index.ts";
import { loadManifest } from "./manifests.ts";
import type { Wanted } from "./wanted.ts";

const DEFINITIONS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const FILES = ["deploy/crds/joinpolicies.yaml", "deploy/crds/nodeidentities.yaml"];

export async function loadOwnDefinitions(): Promise<readonly Wanted[]> {
  const objects = (await Promise.all(FILES.map(loadManifest))).flat();
  return objects.map((object) => ({ resource: DEFINITIONS, object }));
}
