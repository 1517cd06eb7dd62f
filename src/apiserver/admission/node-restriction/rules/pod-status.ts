// Pod status: a node reports about the pods bound to it. It may not move the pod to other selectors by way of its labels, nor
// give itself a claim by naming it in the status.

import { nodeOfPod, type PodWithReferences } from "../../../../authorizer/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { quoted, type WriteRule } from "./rule.ts";

export const podStatus: WriteRule = ({ operation, current, object }, { node }) => {
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
