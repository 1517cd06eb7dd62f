// CustomResourceDefinitions for tests: small ones in the manner of Cluster API, OpenShift and our own drafts.

import type { Definition } from "../../src/apiserver/resources/custom/index.ts";
import type { Json } from "../../src/kernel/json/index.ts";

export interface DefinitionChoices {
  readonly group?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly names?: object;
  readonly scope?: "Namespaced" | "Cluster";
  readonly schema?: Json;
  readonly versions?: readonly object[];
  readonly version?: object;
}

export function definitionOf(choices: DefinitionChoices = {}): Definition {
  const { group = "example.com", kind = "Widget", plural = "widgets", scope = "Namespaced" } = choices;
  const schema = choices.schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...choices.version };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind, ...choices.names }, versions: choices.versions ?? [version] },
  } as Definition;
}

const CONDITIONS: Json = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status"],
    properties: {
      type: {
        type: "string",
        maxLength: 316,
        pattern:
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: { type: "string" },
      message: { type: "string" },
      lastTransitionTime: { type: "string", format: "date-time" },
    },
  },
};

function machineSchema(extra: { readonly [name: string]: Json }): Json {
  return {
    type: "object",
    description: "A machine and the node that runs on it.",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: {
        type: "object",
        description: "What the machine should be.",
        required: ["clusterName"],
        properties: {
          clusterName: { type: "string", minLength: 1, maxLength: 63, description: "The cluster it belongs to." },
          providerID: { type: "string", maxLength: 512 },
          version: { type: "string" },
          replicas: { type: "integer", format: "int32", minimum: 0, default: 1 },
          deletion: {
            type: "object",
            default: {},
            properties: { nodeDeletionTimeoutSeconds: { type: "integer", format: "int32", default: 10 } },
          },
          bootstrap: {
            type: "object",
            properties: { dataSecretName: { type: "string", nullable: true } },
          },
          infrastructureRef: {
            type: "object",
            "x-kubernetes-map-type": "atomic",
            properties: { apiGroup: { type: "string" }, kind: { type: "string" }, name: { type: "string" } },
          },
          taints: {
            type: "array",
            maxItems: 3,
            "x-kubernetes-list-type": "set",
            items: { type: "string" },
          },
          port: { "x-kubernetes-int-or-string": true },
          labels: { type: "object", additionalProperties: { type: "string" } },
          anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          ...extra,
        },
      },
      status: {
        type: "object",
        properties: {
          phase: { type: "string", enum: ["Pending", "Running"] },
          replicas: { type: "integer" },
          nodeRef: { type: "object", properties: { name: { type: "string" } } },
          conditions: CONDITIONS,
        },
      },
    },
  };
}

const COLUMNS = [
  { name: "Cluster", type: "string", jsonPath: ".spec.clusterName" },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "ProviderID", type: "string", jsonPath: ".spec.providerID", priority: 1, description: "Who it is." },
];

/** Cluster API's Machine as far as this product reads it, in two served versions. */
export function capiMachines(): Definition {
  const shared = {
    served: true,
    subresources: { status: {} },
    additionalPrinterColumns: COLUMNS,
  };
  return definitionOf({
    group: "cluster.x-k8s.io",
    kind: "Machine",
    plural: "machines",
    names: { shortNames: ["ma"], categories: ["cluster-api"] },
    versions: [
      {
        ...shared,
        name: "v1beta1",
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: machineSchema({ nodeDrainTimeout: { type: "string" } }) },
      },
      {
        ...shared,
        name: "v1beta2",
        storage: true,
        selectableFields: [{ jsonPath: ".spec.clusterName" }],
        schema: { openAPIV3Schema: machineSchema({}) },
      },
    ],
  });
}

/** OpenShift's Machine: another group, the same names. */
export function openShiftMachines(): Definition {
  return definitionOf({
    group: "machine.openshift.io",
    kind: "Machine",
    plural: "machines",
    version: {
      name: "v1beta1",
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { providerID: { type: "string" } } },
            status: {
              type: "object",
              properties: {
                nodeRef: { type: "object", properties: { name: { type: "string" } } },
                addresses: {
                  type: "array",
                  items: { type: "object", properties: { type: { type: "string" }, address: { type: "string" } } },
                },
              },
            },
          },
        },
      },
    },
  });
}

/** Drafts of our own kinds. */
export function nodeIdentities(): Definition {
  return definitionOf({
    group: "countersign.dev",
    kind: "NodeIdentity",
    plural: "nodeidentities",
    scope: "Cluster",
    version: {
      name: "v1alpha1",
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: "Attestor", type: "string", jsonPath: ".status.attestor" }],
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { nodeName: { type: "string" } }, required: ["nodeName"] },
            status: {
              type: "object",
              properties: {
                attestor: { type: "string" },
                revoked: { type: "boolean", default: false },
                certificates: {
                  type: "array",
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["serialNumber"],
                  items: {
                    type: "object",
                    required: ["serialNumber"],
                    properties: {
                      serialNumber: { type: "string", pattern: "^[0-9a-f]+$" },
                      notAfter: { type: "string", format: "date-time" },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  });
}

export function joinPolicies(): Definition {
  return definitionOf({
    group: "countersign.dev",
    kind: "JoinPolicy",
    plural: "joinpolicies",
    names: { shortNames: ["jp"] },
    scope: "Cluster",
    version: {
      name: "v1alpha1",
      additionalPrinterColumns: [{ name: "Mode", type: "string", jsonPath: ".spec.mode" }],
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                mode: { type: "string", enum: ["Shadow", "Enforce"], default: "Enforce" },
                maxNodesPerToken: { type: "integer", minimum: 1, maximum: 1000 },
                rules: { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
              },
              oneOf: [{ required: ["mode"] }, { required: ["rules"] }],
            },
          },
        },
      },
    },
  });
}
