// Nodes: a node reads its own object and no other. Writing is narrowed to the own object by admission, which sees the name
// that a create carries in its body.

import type { NodeRule } from "./rule.ts";

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
