// Lease and CSINode: one of each belongs to a node and carries its name. A create has its name in the body, where only
// admission can see it.

import type { NodeRule } from "./rule.ts";

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
