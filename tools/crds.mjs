// Writes deploy/crds from the declarations of src/api/countersign: `npm run crds`. A test holds the files to them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Document, isScalar, isSeq, visit } from "yaml";

/**
 * @typedef {import("../src/api/countersign/schema.ts").Fields} Fields
 * @typedef {Fields[string]} Field
 * @typedef {import("../src/api/meta/index.ts").Resource} Resource
 * @typedef {{ resource: Resource, spec: Fields, status: Fields }} Kind
 * @typedef {{ name: string, type: string, jsonPath: string, priority?: number }} Column
 */

/** @param {string} type */
const statusOf = (type) => `.status.conditions[?(@.type=="${type}")].status`;

const AGE = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/**
 * What a definition has beside its schema.
 * @type {Record<string, { comment: string, description: string, shortName: string, columns: Column[], selectable?: string[] }>}
 */
const PRESENTATION = {
  JoinPolicy: {
    comment: `# JoinPolicy: which requests are covered, by what they are admitted, and whether the verdicts count. Without any
# JoinPolicy the built-in signers are judged as kube-controller-manager judges them, and ours only with evidence.`,
    description: "JoinPolicy says which machines may become nodes, and what a node's serving certificate may name.",
    shortName: "jp",
    columns: [
      { name: "Mode", type: "string", jsonPath: ".spec.mode" },
      { name: "Admit", type: "string", jsonPath: ".spec.client.admit" },
      { name: "Accepted", type: "string", jsonPath: statusOf("Accepted") },
      { name: "LockedDown", type: "string", jsonPath: statusOf("LockedDown") },
      AGE,
      { name: "Nodes", type: "string", jsonPath: ".spec.nodeNames", priority: 1 },
    ],
  },
  NodeIdentity: {
    comment: `# NodeIdentity: what is known about one node of one cluster: pins of its first exchange, exchanges, certificates.
# Keep it where nodes cannot read: an endorsement key is a serial number for life.`,
    description: "NodeIdentity holds what was proven about a node, and the certificates it was given for that.",
    shortName: "nid",
    columns: [
      { name: "Node", type: "string", jsonPath: ".spec.nodeName" },
      { name: "Cluster", type: "string", jsonPath: ".spec.clusterName" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Provider", type: "string", jsonPath: ".status.provider" },
      { name: "Trust", type: "string", jsonPath: ".status.tpm.ek.trust" },
      { name: "Attested", type: "date", jsonPath: ".status.attestedAt" },
      AGE,
      { name: "ProviderID", type: "string", jsonPath: ".status.providerId", priority: 1 },
    ],
    selectable: [".spec.nodeName", ".spec.clusterName"],
  },
};

/** @param {Kind} kind @returns {string} the text of the file in deploy/crds */
function encodeDefinition(kind) {
  const { comment } = PRESENTATION[kind.resource.kind] ?? { comment: "" };
  const document = new Document(definitionOf(kind));
  // Short leaves on one line, long texts on several: the file is read by people, too.
  visit(document, {
    Map: (_, node) => {
      node.flow =
        node.items.length === 0 ||
        (node.has("type") && !node.has("description") && node.items.every(({ value }) => isLeaf(value)));
    },
    Seq: (_, node) => {
      node.flow = node.items.every(isScalar);
    },
    Scalar: (_, node) => {
      if (String(node.value).length > LONG_TEXT) node.type = "BLOCK_FOLDED";
    },
  });
  const text = document.toString({ lineWidth: 110 });
  return `${comment}\n${text.replaceAll(/\[ (.*?) \]/g, "[$1]")}`;
}

const LONG_TEXT = 80;

/** @param {unknown} node */
function isLeaf(node) {
  return isScalar(node) || (isSeq(node) && node.items.every(isScalar));
}

/** @param {Kind} kind */
function definitionOf({ resource: { group, version, plural, kind }, spec, status }) {
  const presentation = PRESENTATION[kind];
  if (presentation === undefined) throw new Error(`${kind} has no presentation in tools/crds.mjs`);
  const { description, shortName, columns, selectable } = presentation;
  const names = {
    ...{ plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    ...{ shortNames: [shortName], categories: ["countersign"] },
  };
  const openAPIV3Schema = {
    ...{ type: "object", description, required: ["spec"] },
    properties: {
      ...{ apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } },
      spec: schemaOf({ type: "group", fields: spec }),
      status: schemaOf({ type: "group", fields: status }),
    },
  };
  const selectableFields = selectable?.map((jsonPath) => ({ jsonPath }));
  const served = {
    ...{ name: version, served: true, storage: true, subresources: { status: {} }, additionalPrinterColumns: columns },
    ...(selectableFields === undefined ? {} : { selectableFields }),
    schema: { openAPIV3Schema },
  };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Cluster", names, versions: [served] },
  };
}

/** @param {Field} field @returns {object} */
function schemaOf(field) {
  const description = descriptionOf(field);
  const { type, ...rest } = constraintsOf(field);
  return given({ type, description, ...rest });
}

/** With the reader's default, which the API server does not know. @param {Field} field */
function descriptionOf(field) {
  const isTold = "default" in field && !("isDefaultStored" in field) && field.type !== "list" && field.type !== "group";
  const sentences = [field.description, isTold ? `Default: ${field.default}.` : undefined];
  return sentences.filter((sentence) => sentence !== undefined).join(" ") || undefined;
}

/** @param {Field} field @returns {{ type: string, [key: string]: unknown }} */
function constraintsOf(field) {
  switch (field.type) {
    case "text": {
      const { minLength, maxLength, format, pattern } = field;
      return { type: "string", minLength, maxLength, format, pattern };
    }
    case "word":
      return { type: "string", enum: field.words, default: field.isDefaultStored ? field.default : undefined };
    case "flag":
      return { type: "boolean" };
    case "number":
      return { type: "integer", format: field.isLong ? "int64" : undefined, minimum: field.min, maximum: field.max };
    case "list":
      return { type: "array", ...listConstraints(field), items: schemaOf(field.items) };
    case "texts by name":
      return {
        ...{ type: "object", maxProperties: field.maxItems },
        additionalProperties: { type: "string", maxLength: field.maxLength },
      };
    case "group": {
      const required = Object.keys(field.fields).filter((name) => field.fields[name]?.required);
      const properties = Object.fromEntries(Object.entries(field.fields).map(([name, one]) => [name, schemaOf(one)]));
      return { type: "object", required: required.length > 0 ? required : undefined, properties };
    }
  }
}

/** @param {Extract<Field, { type: "list" }>} field */
function listConstraints({ minItems, maxItems, uniqueBy }) {
  const isMapOf = uniqueBy !== undefined && uniqueBy !== "set";
  return {
    ...{ minItems, maxItems },
    "x-kubernetes-list-type": isMapOf ? "map" : uniqueBy,
    "x-kubernetes-list-map-keys": isMapOf ? [uniqueBy] : undefined,
  };
}

/** @param {object} fields */
function given(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** @param {readonly Kind[]} kinds @returns {Record<string, string>} texts by the names of their files in deploy/crds */
export function encodeDefinitions(kinds) {
  return Object.fromEntries(kinds.map((kind) => [`${kind.resource.plural}.yaml`, encodeDefinition(kind)]));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  /** @param {string} name */
  const load = (name) => import(pathToFileURL(join(root, "dist/api/countersign", name)).href);
  const { JOIN_POLICIES, NODE_IDENTITIES } = await load("index.js");
  const { JOIN_POLICY_SPEC, JOIN_POLICY_STATUS } = await load("join-policy.js");
  const { NODE_IDENTITY_SPEC, NODE_IDENTITY_STATUS } = await load("node-identity.js");
  const texts = encodeDefinitions([
    { resource: JOIN_POLICIES, spec: JOIN_POLICY_SPEC, status: JOIN_POLICY_STATUS },
    { resource: NODE_IDENTITIES, spec: NODE_IDENTITY_SPEC, status: NODE_IDENTITY_STATUS },
  ]);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(root, "deploy/crds", name), text);
}
