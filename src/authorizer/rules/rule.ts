// A rule of the node authorizer: one family of resources, and what a node may do with it.

import type { NodeQuestion, RelatedResource } from "../facts.ts";

/** Undefined allows; a text refuses and reaches the client as the reason, unless somebody else allows the request. */
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
