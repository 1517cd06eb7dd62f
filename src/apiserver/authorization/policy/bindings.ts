// Who gets which cluster role in every cluster. A subject is written `<Kind>:<name>`, a service account
// `ServiceAccount:<namespace>/<name>`; a role is written `<Kind>/<name>`.

export interface BindingLine {
  readonly role: string;
  readonly to: readonly string[];
}

/** The binding system:node has no subjects on purpose: nodes get their rights from the node authorizer, one by one. */
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
