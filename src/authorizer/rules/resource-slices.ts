// ResourceSlices: what a node's device drivers offer. A node publishes its own; admission checks whose name a new one bears.

import { mustBeRelated, type NodeRule, selectsOwnNode } from "./rule.ts";

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
