// The roles and bindings that live in kube-system and kube-public. Keys are `<namespace>/<name>`.

import type { RuleLine } from "../../../api/access/index.ts";
import type { BindingLine } from "./bindings.ts";
import { EVENTS } from "./events.ts";

export const NAMESPACED_ROLES: Readonly<Record<string, readonly RuleLine[]>> = {
  "kube-public/system:controller:bootstrap-signer": [
    "read core configmaps",
    "update core configmaps cluster-info",
    EVENTS,
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
  "kube-system/system:controller:token-cleaner": ["read,delete core secrets", EVENTS],
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
