// Lease, CSINode, ResourceSlice: a node writes those that bear its name. A request to create carries the name in its body.

import type { KubeObject } from "../../../../api/meta/index.ts";
import type { Attempt } from "../../../call.ts";
import type { WriteRule } from "./rule.ts";

const NODE_LEASES = "kube-node-lease";

export const leases: WriteRule = (attempt, { node }) => {
  if (attempt.namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  if (writtenName(attempt) === node) return undefined;
  return "can only access node lease with the same name as the requesting node";
};

export const csiNodes: WriteRule = (attempt, { node }) =>
  writtenName(attempt) === node ? undefined : "can only access CSINode with the same name as the requesting node";

function writtenName({ operation, name, object }: Attempt): string {
  return operation === "CREATE" ? (object?.metadata.name ?? "") : name;
}

interface ResourceSlice extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

/** The name cannot change later, so an update needs no look: the node authorizer let it reach only an own one. */
export const resourceSlices: WriteRule = ({ operation, object, current }, { node }) => {
  if (operation === "UPDATE") return undefined;
  const slice: ResourceSlice | undefined = operation === "CREATE" ? object : current;
  if (slice?.spec?.nodeName === node) return undefined;
  const verb = operation === "CREATE" ? "create" : "delete";
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
};
