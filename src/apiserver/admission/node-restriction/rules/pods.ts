// Pods: a node creates mirrors of the pods it reads from its own disk, bound to itself, owned by itself and referring to
// nothing; and it deletes pods that are bound to it. Everything else about a pod is decided by others.

import { NODES, type OwnerReference } from "../../../../api/meta/index.ts";
import { isMirrorPod, MIRROR_ANNOTATION, nodeOfPod, type PodWithReferences } from "../../../../authorizer/index.ts";
import type { Attempt } from "../../../call.ts";
import { referenceProblem } from "./mirror-references.ts";
import { evictions } from "./pod-eviction.ts";
import { podStatus } from "./pod-status.ts";
import { missing, type Objection, quoted, type WriteRule, type Writer } from "./rule.ts";

export const pods: WriteRule = (attempt, writer) => {
  switch (attempt.subresource) {
    case "":
      return podItself(attempt, writer);
    case "status":
      return podStatus(attempt, writer);
    case "eviction":
      return evictions(attempt, writer);
    default: {
      const found = quoted(attempt.subresource);
      return `unexpected pod subresource ${found}, only 'status' and 'eviction' are allowed`;
    }
  }
};

function podItself(attempt: Attempt, writer: Writer): Objection | undefined {
  const { operation, object, current } = attempt;
  const who = `node ${quoted(writer.node)}`;
  if (operation === "CREATE") return object === undefined ? undefined : newPod(object, writer);
  if (operation !== "DELETE")
    return `unexpected operation "${operation}", ${who} can only create and delete mirror pods`;
  if (current !== undefined && nodeOfPod(current) === writer.node) return undefined;
  return `${who} can only delete pods with spec.nodeName set to itself`;
}

function newPod(pod: PodWithReferences, writer: Writer): Objection | undefined {
  const who = `node ${quoted(writer.node)}`;
  if (!isMirrorPod(pod)) {
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, ${who} can only create mirror pods`;
  }
  if (nodeOfPod(pod) !== writer.node) return `${who} can only create pods with spec.nodeName set to itself`;
  return ownerProblem(pod.metadata.ownerReferences ?? [], writer) ?? referenceProblem(pod, who);
}

/** The Node itself, this very one and not one of the same name before it. */
function ownerProblem(owners: readonly OwnerReference[], { node, questions }: Writer): Objection | undefined {
  const who = `node ${quoted(node)}`;
  const [owner] = owners;
  if (owners.length > 1) return `${who} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    return `${who} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) return `${who} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`;
  const stored = questions.get(NODES, node);
  if (stored === undefined) return missing(NODES, node);
  const uid = stored.metadata.uid ?? "";
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}
