// The rules of ClusterRole system:node (Kubernetes 1.36, default feature gates): what a node may do with resources that no
// other rule here is about. The same lines are the role that the API server stores at its start; nobody is bound to it.

import { parseRule, type RuleLine, ruleAllows } from "../../api/access/index.ts";
import type { NodeRule } from "./rule.ts";

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
