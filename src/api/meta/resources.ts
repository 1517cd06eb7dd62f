// The resources this product talks about, each named once.

import type { Resource } from "./resource.ts";

function core(plural: string, kind: string, namespaced: boolean): Resource {
  return { group: "", version: "v1", plural, kind, namespaced };
}

export const NAMESPACES = core("namespaces", "Namespace", false);
export const NODES = core("nodes", "Node", false);
export const SECRETS = core("secrets", "Secret", true);
export const CONFIG_MAPS = core("configmaps", "ConfigMap", true);
export const EVENTS = core("events", "Event", true);

export const CSRS: Resource = {
  group: "certificates.k8s.io",
  version: "v1",
  plural: "certificatesigningrequests",
  kind: "CertificateSigningRequest",
  namespaced: false,
};

export const LEASES: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

function rbac(plural: string, kind: string, namespaced: boolean): Resource {
  return { group: "rbac.authorization.k8s.io", version: "v1", plural, kind, namespaced };
}

export const ROLES = rbac("roles", "Role", true);
export const ROLE_BINDINGS = rbac("rolebindings", "RoleBinding", true);
export const CLUSTER_ROLES = rbac("clusterroles", "ClusterRole", false);
export const CLUSTER_ROLE_BINDINGS = rbac("clusterrolebindings", "ClusterRoleBinding", false);

export const SUBJECT_ACCESS_REVIEWS: Resource = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  namespaced: false,
};

export const SELF_SUBJECT_REVIEWS: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  kind: "SelfSubjectReview",
  namespaced: false,
};
