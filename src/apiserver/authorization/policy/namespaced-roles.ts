// The roles and bindings of kube-system and kube-public. Keys are `<namespace>/<name>`.

import type { RuleLine } from "../../../api/access/index.ts";
import { WRITE_EVENTS } from "./cluster-roles.ts";

export const NAMESPACED_ROLES: Readonly<Record<string, readonly RuleLine[]>> = {
  "kube-public/system:controller:bootstrap-signer": [
    "read core configmaps",
    "update core configmaps cluster-info",
    WRITE_EVENTS,
  ],
  "kube-system/extension-apiserver-authentication-reader": ["read core configmaps extension-apiserver-authentication"],
  "kube-system/system::leader-locking-kube-controller-manager": [
    "read,create,update coordination.k8s.io leases",
    "read,create,update coordination.k8s.io leasecandidates",
  ],
  "kube-system/system::leader-locking-kube-scheduler": [
    "read,create,update coordination.k8s.io leases",
    "read,create,update coordination.k8s.io leasecandidates",
  ],
  "kube-system/system:controller:bootstrap-signer": ["read core secrets"],
  "kube-system/system:controller:cloud-provider": ["read,create core configmaps"],
  "kube-system/system:controller:token-cleaner": ["read,delete core secrets", WRITE_EVENTS],
};

export const NAMESPACED_BINDINGS: Readonly<Record<string, BindingLine>> = {
  "kube-public/system:controller:bootstrap-signer": {
    role: "Role/system:controller:bootstrap-signer",
    to: ["ServiceAccount:kube-system/bootstrap-signer"],
  },
  "kube-system/system::extension-apiserver-authentication-reader": {
    role: "Role/extension-apiserver-authentication-reader",
    to: ["User:system:kube-controller-manager", "User:system:kube-scheduler"],
  },
  "kube-system/system::leader-locking-kube-controller-manager": {
    role: "Role/system::leader-locking-kube-controller-manager",
    to: [
      "User:system:kube-controller-manager",
      "ServiceAccount:kube-system/kube-controller-manager",
      "ServiceAccount:kube-system/leader-election-controller",
    ],
  },
  "kube-system/system::leader-locking-kube-scheduler": {
    role: "Role/system::leader-locking-kube-scheduler",
    to: ["User:system:kube-scheduler", "ServiceAccount:kube-system/kube-scheduler"],
  },
  "kube-system/system:controller:bootstrap-signer": {
    role: "Role/system:controller:bootstrap-signer",
    to: ["ServiceAccount:kube-system/bootstrap-signer"],
  },
  "kube-system/system:controller:cloud-provider": {
    role: "Role/system:controller:cloud-provider",
    to: ["ServiceAccount:kube-system/cloud-provider"],
  },
  "kube-system/system:controller:token-cleaner": {
    role: "Role/system:controller:token-cleaner",
    to: ["ServiceAccount:kube-system/token-cleaner"],
  },
};

// The subjects of each cluster role in every cluster. A subject is written `<Kind>:<name>`, a service account
// `ServiceAccount:<namespace>/<name>`; a role is written `<Kind>/<name>`.

export interface BindingLine {
  readonly role: string;
  readonly to: readonly string[];
}

/** The binding system:node has no subjects on purpose: nodes get their rights from the node authorizer. */
export const CLUSTER_BINDINGS: Readonly<Record<string, BindingLine>> = {
  "cluster-admin": { role: "ClusterRole/cluster-admin", to: ["Group:system:masters"] },
  "system:basic-user": { role: "ClusterRole/system:basic-user", to: ["Group:system:authenticated"] },
  "system:discovery": { role: "ClusterRole/system:discovery", to: ["Group:system:authenticated"] },
  "system:kube-controller-manager": {
    role: "ClusterRole/system:kube-controller-manager",
    to: ["User:system:kube-controller-manager"],
  },
  "system:kube-dns": { role: "ClusterRole/system:kube-dns", to: ["ServiceAccount:kube-system/kube-dns"] },
  "system:kube-scheduler": { role: "ClusterRole/system:kube-scheduler", to: ["User:system:kube-scheduler"] },
  "system:monitoring": { role: "ClusterRole/system:monitoring", to: ["Group:system:monitoring"] },
  "system:node": { role: "ClusterRole/system:node", to: [] },
  "system:node-proxier": { role: "ClusterRole/system:node-proxier", to: ["User:system:kube-proxy"] },
  "system:public-info-viewer": {
    role: "ClusterRole/system:public-info-viewer",
    to: ["Group:system:authenticated", "Group:system:unauthenticated"],
  },
  "system:service-account-issuer-discovery": {
    role: "ClusterRole/system:service-account-issuer-discovery",
    to: ["Group:system:serviceaccounts"],
  },
  "system:volume-scheduler": { role: "ClusterRole/system:volume-scheduler", to: ["User:system:kube-scheduler"] },
};
