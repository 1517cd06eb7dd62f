// Pods: a node creates mirrors of the pods it reads from its own disk, bound to itself, owned by itself and without
// references; and it deletes pods that are bound to it. It may write nothing else of a pod.

import { NODES, type OwnerReference, PODS } from "../../../../api/meta/index.ts";
import { isMirrorPod, MIRROR_ANNOTATION, nodeOfPod, type PodWithReferences } from "../../../../authorizer/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import type { Attempt } from "../../../call.ts";
import { referenceProblem } from "./mirror-references.ts";
import { missing, type NodeWriter, type Objection, quoted, type WriteRule } from "./rule.ts";

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

function podItself(attempt: Attempt, writer: NodeWriter): Objection | undefined {
  const { operation, object, current } = attempt;
  const who = `node ${quoted(writer.node)}`;
  if (operation === "CREATE") return object === undefined ? undefined : newPod(object, writer);
  if (operation !== "DELETE")
    return `unexpected operation "${operation}", ${who} can only create and delete mirror pods`;
  if (current !== undefined && nodeOfPod(current) === writer.node) return undefined;
  return `${who} can only delete pods with spec.nodeName set to itself`;
}

function newPod(pod: PodWithReferences, writer: NodeWriter): Objection | undefined {
  const who = `node ${quoted(writer.node)}`;
  if (!isMirrorPod(pod)) {
    return `pod does not have "${MIRROR_ANNOTATION}" annotation, ${who} can only create mirror pods`;
  }
  if (nodeOfPod(pod) !== writer.node) return `${who} can only create pods with spec.nodeName set to itself`;
  return ownerProblem(pod.metadata.ownerReferences ?? [], writer) ?? referenceProblem(pod, who);
}

/** The owner is the Node itself, by uid, and not an earlier Node of the same name. */
function ownerProblem(owners: readonly OwnerReference[], { node, questions }: NodeWriter): Objection | undefined {
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

// Pod status: a node reports about the pods bound to it. It may not change their labels, by which selectors find them,
// nor give itself a claim by naming it in the status.

const podStatus: WriteRule = ({ operation, current, object }, { node }) => {
  if (operation !== "UPDATE") return `unexpected operation ${quoted(operation)}`;
  const who = `node ${quoted(node)}`;
  const before: PodWithReferences | undefined = current;
  const after: PodWithReferences | undefined = object;
  if (before === undefined || nodeOfPod(before) !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!isSameJson(before.metadata.labels ?? {}, after?.metadata.labels ?? {})) {
    return `${who} cannot update labels through pod status`;
  }
  if (!isSameJson(before.status?.resourceClaimStatuses ?? [], after?.status?.resourceClaimStatuses ?? [])) {
    return `${who} cannot update resource claim statues`;
  }
  if (!isSameJson(before.status?.extendedResourceClaimStatus, after?.status?.extendedResourceClaimStatus)) {
    return `${who} cannot update extended resource claim status`;
  }
  return undefined;
};

// Eviction: a node under pressure evicts pods that are bound to it.

const evictions: WriteRule = (attempt, { node, questions }) => {
  if (attempt.operation !== "CREATE") return `unexpected operation ${attempt.operation}`;
  const name = attempt.name || (attempt.object?.metadata.name ?? "");
  if (name === "") return "could not determine pod from request data";
  const pod = questions.get(PODS, name, attempt.namespace);
  if (pod === undefined) return missing(PODS, name);
  return nodeOfPod(pod) === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
};
