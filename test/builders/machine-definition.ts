// A Machine of any group, as small as the API server lets a definition be: what is read of it is read by paths.

import type { KubeObject } from "../../src/api/meta/index.ts";

export function machineDefinition(group: string, versions: readonly string[]): KubeObject {
  return definition(group, "Machine", versions);
}

export function poolDefinition(versions: readonly string[]): KubeObject {
  return definition("cluster.x-k8s.io", "MachinePool", versions);
}

export function clusterDefinition(versions: readonly string[]): KubeObject {
  return definition("cluster.x-k8s.io", "Cluster", versions);
}

function definition(group: string, kind: string, versions: readonly string[]): KubeObject {
  const singular = kind.toLowerCase();
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === versions.length - 1,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } },
      })),
    },
  } as KubeObject;
}
