// Eviction: a node under pressure ends pods that are bound to it.

import { PODS } from "../../../../api/meta/index.ts";
import { nodeOfPod } from "../../../../authorizer/index.ts";
import { missing, type WriteRule } from "./rule.ts";

export const evictions: WriteRule = (attempt, { node, questions }) => {
  if (attempt.operation !== "CREATE") return `unexpected operation ${attempt.operation}`;
  const name = attempt.name || (attempt.object?.metadata.name ?? "");
  if (name === "") return "could not determine pod from request data";
  const pod = questions.get(PODS, name, attempt.namespace);
  if (pod === undefined) return missing(PODS, name);
  return nodeOfPod(pod) === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
};
