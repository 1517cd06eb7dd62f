// What a cluster holds before the first node can join, beside the namespaces and roles that the API server makes itself:
// cluster-info, who may read it, who may ask for a certificate, and what kubeadm join reads (join-objects.ts). Names and
// subjects are kubeadm's, so its tools find them.

import { AUTHENTICATED_GROUP, type ClusterRole, type Role, type RoleBinding } from "../../api/access/index.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { clusterLocationExtension, encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, ROLE_BINDINGS, ROLES } from "../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { joinObjects } from "./join-objects.ts";
import { groupSubject, JOINING_GROUP, RBAC_GROUP, RBAC_VERSION } from "./rbac-words.ts";
import type { Wanted } from "./wanted.ts";

export interface ClusterFacts {
  readonly server: string;
  readonly caPem: string;
  /** Says that it is the same cluster, whatever its address has become. */
  readonly clusterId?: string | undefined;
  /** What joining kubelets are told beside the usual. */
  readonly kubelet?: Readonly<Record<string, unknown>> | undefined;
}

export function clusterObjects(cluster: ClusterFacts): readonly Wanted[] {
  return [
    clusterBinding("kubeadm:kubelet-bootstrap", "system:node-bootstrapper", JOINING_GROUP),
    { resource: CLUSTER_ROLES, object: readNodes() },
    clusterBinding("kubeadm:get-nodes", "kubeadm:get-nodes", JOINING_GROUP),
    clusterBinding("kubeadm:node-autoapprove-bootstrap", `${CSR_ROLES}:nodeclient`, JOINING_GROUP),
    clusterBinding("kubeadm:node-autoapprove-certificate-rotation", `${CSR_ROLES}:selfnodeclient`, "system:nodes"),
    { resource: ROLES, object: readClusterInfo() },
    { resource: ROLE_BINDINGS, object: anyoneReadsClusterInfo(), isGrant: true },
    { resource: ROLES, object: readPublic() },
    { resource: ROLE_BINDINGS, object: knownUsersReadPublic(), isGrant: true },
    { resource: CONFIG_MAPS, object: clusterInfo(cluster) },
    ...joinObjects(cluster),
  ];
}

/** Who may have a request approved without anybody looking: the approver asks, these say yes. */
const CSR_ROLES = "system:certificates.k8s.io:certificatesigningrequests";

function clusterBinding(name: string, role: string, group: string): Wanted {
  const object: RoleBinding = {
    apiVersion: RBAC_VERSION,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: role },
    subjects: [groupSubject(group)],
  };
  return { resource: CLUSTER_ROLE_BINDINGS, object, isGrant: true };
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

/** As deploy/discovery-rbac.yaml has it. A name of our own: kubeadm writes its binding anew and would drop a subject of ours. */
const PUBLIC_READER = { name: "countersign:kube-public-reader", namespace: "kube-public" };

function readPublic(): Role {
  return {
    apiVersion: RBAC_VERSION,
    kind: "Role",
    metadata: { ...PUBLIC_READER },
    rules: [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["configmaps"] }],
  };
}

/** Seed 004: everybody who has proved who he is may read kube-public; among them whoever shows a discovery JWT. */
function knownUsersReadPublic(): RoleBinding {
  return {
    apiVersion: RBAC_VERSION,
    kind: "RoleBinding",
    metadata: { ...PUBLIC_READER },
    roleRef: { apiGroup: RBAC_GROUP, kind: "Role", name: PUBLIC_READER.name },
    subjects: [groupSubject(AUTHENTICATED_GROUP)],
  };
}

function clusterInfo({ server, caPem, clusterId }: ClusterFacts): ConfigMap {
  const cluster = {
    "certificate-authority-data": encodeBase64(encodeUtf8(caPem)),
    ...(clusterId === undefined ? {} : { extensions: [clusterLocationExtension({ clusterId })] }),
    server,
  };
  const kubeconfig = encodeKubeconfig({
    clusters: [{ name: "", cluster }],
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
export async function ensureObjects(
  client: KubeClient,
  wanted: readonly Wanted[],
  { isFirstStart }: { readonly isFirstStart: boolean },
): Promise<void> {
  for (const { resource, object, isMadeOnce = false, isGrant = false } of wanted) {
    if (isGrant && !isFirstStart) continue;
    try {
      await client.create(resource, object);
    } catch (failure) {
      if (!isFault(failure, "already-exists")) throw failure;
      if (isMadeOnce) continue;
      const { name = "", namespace } = object.metadata;
      const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = object;
      await client.patch(resource, { name, namespace }, content);
    }
  }
}
