// The words that RBAC objects of a cluster share.

import type { Subject } from "../../api/access/index.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";
export const RBAC_VERSION = `${RBAC_GROUP}/v1`;

/** The group that tokens carry unless told otherwise; kubeadm's name for it. */
export const JOINING_GROUP = "system:bootstrappers:kubeadm:default-node-token";

export function groupSubject(name: string): Subject {
  return { kind: "Group", apiGroup: RBAC_GROUP, name };
}
