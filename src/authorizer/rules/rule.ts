// A rule of the node authorizer: one family of resources, and what a node may do with it.

import { parseRule, type RuleLine, ruleAllows } from "../../api/access/index.ts";
import type { NodeQuestion, RelatedResource } from "../facts.ts";

/**
 * Undefined allows; a text refuses and reaches the client as the reason, unless another authorizer allows the request.
 */
export type NodeRule = (question: NodeQuestion) => string | undefined;

/** The object must be related to the node. That it does not exist and that it is not related are the same answer. */
export function mustBeRelated({ asked, node, relations }: NodeQuestion, resource: RelatedResource): string | undefined {
  const { namespace, name } = asked;
  if (name === "") return "No Object name found";
  if (relations.hasPath({ resource, namespace, name }, node)) return undefined;
  return `no relationship found between node '${node}' and this object`;
}

/** One object, by name, and nothing below it. */
export function mayGetRelated(question: NodeQuestion, resource: RelatedResource): string | undefined {
  const { verb, subresource } = question.asked;
  if (verb !== "get") return "can only get individual resources of this type";
  return subresource === "" ? mustBeRelated(question, resource) : "cannot get subresource";
}

/** A list or watch counts as a read of one object when its field selector names the object (`metadata.name=x`). */
export function mayReadRelated(question: NodeQuestion, resource: RelatedResource): string | undefined {
  const { verb, subresource, namespace } = question.asked;
  if (!["get", "list", "watch"].includes(verb)) return "can only read resources of this type";
  if (subresource !== "") return "cannot read subresource";
  return namespace === "" ? "can only read namespaced object of this type" : mustBeRelated(question, resource);
}

/** `spec.nodeName=<own name>` is among what the field selector requires. */
export function selectsOwnNode({ asked, node }: NodeQuestion): boolean {
  return asked.fieldRequirements.some(
    ({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node,
  );
}

// The rules of ClusterRole system:node (Kubernetes 1.36, default feature gates): what a node may do with resources that
// no other rule here is about. The same lines are the role that the API server stores at its start; no subject is bound
// to it.

export const NODE_ROLE: readonly RuleLine[] = [
  "create authentication.k8s.io tokenreviews",
  "create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews",
  "read core services",
  "read,create core nodes",
  "patch,update core nodes/status",
  "patch,update core nodes",
  "create,patch,update core,events.k8s.io events",
  "read core pods",
  "create,delete core pods",
  "patch,update core pods/status",
  "create core pods/eviction",
  "read core configmaps,secrets",
  "get core persistentvolumeclaims,persistentvolumes",
  "get core endpoints",
  "read,create certificates.k8s.io certificatesigningrequests",
  "create,delete,get,patch,update coordination.k8s.io leases",
  "get storage.k8s.io volumeattachments",
  "create core serviceaccounts/token",
  "get,patch,update core persistentvolumeclaims/status",
  "read storage.k8s.io csidrivers",
  "create,delete,get,patch,update storage.k8s.io csinodes",
  "read node.k8s.io runtimeclasses",
  "get resource.k8s.io resourceclaims",
  "deletecollection resource.k8s.io resourceslices",
  "get core serviceaccounts",
];

export function createRoleRule(): NodeRule {
  const rules = NODE_ROLE.map(parseRule);
  return ({ asked }) => (rules.some((rule) => ruleAllows(rule, asked)) ? undefined : "");
}
