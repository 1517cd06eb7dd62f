// Pods: a node reads those bound to it, all by field selector or one by name. What it may create, delete and report about is
// narrowed by admission to mirror pods and to pods that run on it.

import { mayGetRelated, mustBeRelated, type NodeRule, selectsOwnNode } from "./rule.ts";

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
