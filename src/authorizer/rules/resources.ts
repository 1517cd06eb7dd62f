// What a node may do with each family of resources that has a rule of its own.

import { mayGetRelated, mayReadRelated, mustBeRelated, type NodeRule, selectsOwnNode } from "./rule.ts";

// Nodes: a node reads its own object and no other. Writing is narrowed to the own object by admission, which sees the
// name that a create carries in its body.

export const nodes: NodeRule = ({ asked, node }) => {
  const { verb, subresource, name } = asked;
  if (subresource === "status") return verb === "update" || verb === "patch" ? undefined : "";
  if (subresource !== "") return "";
  if (["create", "update", "patch"].includes(verb)) return undefined;
  if (!["get", "list", "watch"].includes(verb)) return "";
  // By name, not by relation: a node that is not registered yet may look for itself.
  if (name === node) return undefined;
  if (name === "") return `node '${node}' cannot read all nodes, only its own Node object`;
  return `node '${node}' cannot read '${name}', only its own Node object`;
};

// Lease and CSINode: one of each belongs to a node and carries its name. A create has its name in the body, where only
// admission can see it.

const VERBS: readonly string[] = ["get", "create", "update", "patch", "delete"];
const NODE_LEASES = "kube-node-lease";

export const leases: NodeRule = ({ asked, node }) => {
  if (!VERBS.includes(asked.verb)) return "can only get, create, update, patch, or delete a node lease";
  if (asked.namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  if (asked.verb === "create" || asked.name === node) return undefined;
  return "can only access node lease with the same name as the requesting node";
};

export const csiNodes: NodeRule = ({ asked, node }) => {
  if (!VERBS.includes(asked.verb)) return "can only get, create, update, patch, or delete a CSINode";
  if (asked.subresource !== "") return "cannot authorize CSINode subresources";
  if (asked.verb === "create" || asked.name === node) return undefined;
  return "can only access CSINode with the same name as the requesting node";
};

// Pods: a node reads those bound to it, all by field selector or one by name. What it may create, delete and report
// about is narrowed by admission to mirror pods and to pods that run on it.

/** Allowed here whatever the name, by subresource. */
const WRITES: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["create", "delete"]],
  ["status", ["update", "patch"]],
  ["eviction", ["create"]],
]);

export const pods: NodeRule = (question) => {
  const { verb, subresource, name } = question.asked;
  if (WRITES.get(subresource)?.includes(verb) === true) return undefined;
  if (subresource !== "") return "";
  if (verb === "get") return mayGetRelated(question, "pods");
  if (verb !== "list" && verb !== "watch") return "";
  if (selectsOwnNode(question)) return undefined;
  if (name !== "") return mustBeRelated(question, "pods");
  return "can only list/watch pods with spec.nodeName field selector";
};

// Secrets and ConfigMaps: a node reads those that its pods refer to, one at a time.

export const secrets: NodeRule = (question) => mayReadRelated(question, "secrets");

export const configMaps: NodeRule = (question) => mayReadRelated(question, "configmaps");

// ServiceAccounts of a node's pods: it reads them (credential providers of the kubelet need their annotations) and asks
// for their tokens. To which pod such a token is bound is checked by admission, which sees the request's body.

export const serviceAccounts: NodeRule = (question) => {
  const { verb, subresource, name } = question.asked;
  if (verb === "get" && subresource === "") return mayReadRelated(question, "serviceaccounts");
  if (verb !== "create" || name === "") return "can only create tokens for individual service accounts";
  if (subresource !== "token") return "can only create token subresource of serviceaccount";
  return mustBeRelated(question, "serviceaccounts");
};

// What the pods of a node mount and use: claims, volumes, attachments, devices. A node gets each by name; it also
// writes the status of a claim whose file system it has grown.

export const persistentVolumeClaims: NodeRule = (question) => {
  const { verb, subresource } = question.asked;
  if (subresource !== "status") return mayGetRelated(question, "persistentvolumeclaims");
  if (verb !== "update" && verb !== "patch") return "can only get/update/patch this type";
  return mustBeRelated(question, "persistentvolumeclaims");
};

export const persistentVolumes: NodeRule = (question) => mayGetRelated(question, "persistentvolumes");

export const volumeAttachments: NodeRule = (question) => mayGetRelated(question, "volumeattachments");

export const resourceClaims: NodeRule = (question) => mayGetRelated(question, "resourceclaims");

// ResourceSlices: what a node's device drivers offer. A node publishes its own; admission checks whose name a new one
// bears.

const ALLOWED = "get, watch, list, create, update, patch, delete, deletecollection";

export const resourceSlices: NodeRule = (question) => {
  const { verb, subresource } = question.asked;
  if (subresource !== "") return "cannot authorize ResourceSlice subresources";
  switch (verb) {
    case "create":
      return undefined;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return mustBeRelated(question, "resourceslices");
    case "list":
    case "watch":
    case "deletecollection":
      if (selectsOwnNode(question)) return undefined;
      return "can only list/watch/deletecollection resourceslices with nodeName field selector";
    default:
      return `only the following verbs are allowed for a ResourceSlice: ${ALLOWED}`;
  }
};
