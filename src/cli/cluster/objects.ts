// What a cluster holds before the first node can join, beside the namespaces and roles that the API server makes itself:
// cluster-info, who may read it, who may ask for a certificate. Names and subjects are kubeadm's, so its tools find them.

import type { ClusterRole, Role, RoleBinding } from "../../api/access/index.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  type KubeObject,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
} from "../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";

/** The group that tokens carry unless told otherwise; kubeadm's name for it. */
export const JOINING_GROUP = "system:bootstrappers:kubeadm:default-node-token";

const RBAC_GROUP = "rbac.authorization.k8s.io";
const RBAC_VERSION = `${RBAC_GROUP}/v1`;

export interface Wanted {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export function clusterObjects(cluster: { readonly server: string; readonly caPem: string }): readonly Wanted[] {
  return [
    clusterBinding("kubeadm:kubelet-bootstrap", "system:node-bootstrapper"),
    { resource: CLUSTER_ROLES, object: readNodes() },
    clusterBinding("kubeadm:get-nodes", "kubeadm:get-nodes"),
    { resource: ROLES, object: readClusterInfo() },
    { resource: ROLE_BINDINGS, object: anyoneReadsClusterInfo() },
    { resource: CONFIG_MAPS, object: clusterInfo(cluster) },
  ];
}

function clusterBinding(name: string, role: string): Wanted {
  const object: RoleBinding = {
    apiVersion: RBAC_VERSION,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: role },
    subjects: [{ kind: "Group", apiGroup: RBAC_GROUP, name: JOINING_GROUP }],
  };
  return { resource: CLUSTER_ROLE_BINDINGS, object };
}

function readNodes(): ClusterRole {
  return {
    apiVersion: RBAC_VERSION,
    kind: "ClusterRole",
    metadata: { name: "kubeadm:get-nodes" },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }],
  };
}

const CLUSTER_INFO_READER = { name: "kubeadm:bootstrap-signer-clusterinfo", namespace: "kube-public" };

function readClusterInfo(): Role {
  return {
    apiVersion: RBAC_VERSION,
    kind: "Role",
    metadata: { ...CLUSTER_INFO_READER },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["cluster-info"] }],
  };
}

function anyoneReadsClusterInfo(): RoleBinding {
  return {
    apiVersion: RBAC_VERSION,
    kind: "RoleBinding",
    metadata: { ...CLUSTER_INFO_READER },
    roleRef: { apiGroup: RBAC_GROUP, kind: "Role", name: CLUSTER_INFO_READER.name },
    subjects: [{ kind: "User", apiGroup: RBAC_GROUP, name: "system:anonymous" }],
  };
}

function clusterInfo(cluster: { readonly server: string; readonly caPem: string }): ConfigMap {
  const kubeconfig = encodeKubeconfig({
    clusters: [
      {
        name: "",
        cluster: { "certificate-authority-data": encodeBase64(encodeUtf8(cluster.caPem)), server: cluster.server },
      },
    ],
    users: [],
    contexts: [],
    currentContext: "",
  });
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig },
  };
}

/** Creates what is missing and brings the rest to what is wanted; other fields (signatures of cluster-info) stay. */
export async function ensureObjects(client: KubeClient, wanted: readonly Wanted[]): Promise<void> {
  for (const { resource, object } of wanted) {
    try {
      await client.create(resource, object);
    } catch (failure) {
      if (!isFault(failure, "already-exists")) throw failure;
      const { name = "", namespace } = object.metadata;
      const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = object;
      await client.patch(resource, { name, namespace }, content);
    }
  }
}
