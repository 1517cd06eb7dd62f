// Objects that must exist before the first node can join, beside the namespaces and roles that the API server makes
// itself: cluster-info, the right to request a certificate, and the configurations that `kubeadm join` and the kubelet
// it starts look for. Names, keys and subjects are kubeadm's, so that its tools find them.

import { stringify } from "yaml";
import {
  AUTHENTICATED_GROUP,
  type ClusterRole,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type Subject,
} from "../api/access/index.ts";
import type { ConfigMap } from "../api/core/index.ts";
import { clusterLocationExtension, encodeKubeconfig } from "../api/kubeconfig/index.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, ROLE_BINDINGS, ROLES } from "../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../kernel/bytes/index.ts";
import { DNS_ADDRESS, DNS_DOMAIN, SERVICE_SUBNET } from "./service-objects.ts";
import { groupSubject, RBAC_GROUP, RBAC_VERSION, type WantedObject } from "./wanted-objects.ts";

interface ClusterFacts {
  readonly server: string;
  readonly caPem: string;
  /** Stays the same when the cluster's address changes. */
  readonly clusterId?: string | undefined;
  /** Fields of the configuration of joining kubelets that differ from kubeadm's. */
  readonly kubelet?: Readonly<Record<string, unknown>> | undefined;
}

/** The group of bootstrap tokens that name no other. */
const JOINING_GROUP = "system:bootstrappers:kubeadm:default-node-token";
const NODES_GROUP = "system:nodes";

/** ClusterRoles that the approver looks for: requests of a bound group are approved. */
const CSR_ROLES = "system:certificates.k8s.io:certificatesigningrequests";

export function clusterObjects(cluster: ClusterFacts): readonly WantedObject[] {
  return [
    clusterBinding("kubeadm:kubelet-bootstrap", "system:node-bootstrapper", JOINING_GROUP),
    { resource: CLUSTER_ROLES, object: readNodes() },
    clusterBinding("kubeadm:get-nodes", "kubeadm:get-nodes", JOINING_GROUP),
    clusterBinding("kubeadm:node-autoapprove-bootstrap", `${CSR_ROLES}:nodeclient`, JOINING_GROUP),
    clusterBinding("kubeadm:node-autoapprove-certificate-rotation", `${CSR_ROLES}:selfnodeclient`, NODES_GROUP),
    ...readersOfPublic(),
    { resource: CONFIG_MAPS, object: clusterInfo(cluster) },
    ...configurations(cluster),
  ];
}

function clusterBinding(name: string, role: string, group: string): WantedObject {
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

/**
 * Anonymous requests may get cluster-info. Every authenticated user may read the ConfigMaps of kube-public, as the
 * super simple discovery API asks and deploy/discovery-rbac.yaml has it; that Role has a name of ours, because kubeadm
 * rewrites its own binding and would drop another subject.
 */
function readersOfPublic(): readonly WantedObject[] {
  const anonymous: Subject = { kind: "User", apiGroup: RBAC_GROUP, name: "system:anonymous" };
  const [readInfo, readInfoBinding] = readersOf("kube-public", "kubeadm:bootstrap-signer-clusterinfo", {
    rule: { verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["cluster-info"] },
    subjects: [anonymous],
  });
  const [readMaps, readMapsBinding] = readersOf("kube-public", "countersign:kube-public-reader", {
    rule: { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["configmaps"] },
    subjects: [groupSubject(AUTHENTICATED_GROUP)],
  });
  return [readInfo, { ...readInfoBinding, isGrant: true }, readMaps, { ...readMapsBinding, isGrant: true }];
}

interface Right {
  readonly rule: PolicyRule;
  readonly subjects: readonly Subject[];
}

/** A Role and its binding. */
function readersOf(
  namespace: string,
  name: string,
  { rule, subjects }: Right,
): readonly [role: WantedObject, binding: WantedObject] {
  const role: Role = { apiVersion: RBAC_VERSION, kind: "Role", metadata: { name, namespace }, rules: [rule] };
  const binding: RoleBinding = {
    apiVersion: RBAC_VERSION,
    kind: "RoleBinding",
    metadata: { name, namespace },
    roleRef: { apiGroup: RBAC_GROUP, kind: "Role", name },
    subjects: [...subjects],
  };
  return [
    { resource: ROLES, object: role },
    { resource: ROLE_BINDINGS, object: binding },
  ];
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

/** The Kubernetes this API server behaves like; kubeadm compares it with its own version. */
const KUBERNETES_VERSION = "v1.36.3";

function configurations(cluster: ClusterFacts): readonly WantedObject[] {
  const kubelet = stringify({ ...kubeletConfiguration(), ...cluster.kubelet });
  const [config, ...readers] = readableMap("kubelet-config", "kubeadm:kubelet-config", { kubelet });
  return [
    ...readableMap("kubeadm-config", "kubeadm:nodes-kubeadm-config", {
      ClusterConfiguration: stringify(clusterConfiguration(cluster)),
    }),
    // The server's address may change at a restart. The kubelets' configuration changes only when the operator gives
    // one.
    { ...config, isMadeOnce: cluster.kubelet === undefined },
    ...readers,
  ];
}

function clusterConfiguration({ server }: ClusterFacts): object {
  return {
    apiVersion: "kubeadm.k8s.io/v1beta4",
    kind: "ClusterConfiguration",
    clusterName: "kubernetes",
    controlPlaneEndpoint: new URL(server).host,
    kubernetesVersion: KUBERNETES_VERSION,
    certificatesDir: "/etc/kubernetes/pki",
    networking: { dnsDomain: DNS_DOMAIN, serviceSubnet: SERVICE_SUBNET },
  };
}

/** What kubeadm writes, and no more: the rest is the kubelet's own defaults. */
function kubeletConfiguration(): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true, cacheTTL: "0s" },
      x509: { clientCAFile: "/etc/kubernetes/pki/ca.crt" },
    },
    authorization: { mode: "Webhook", webhook: { cacheAuthorizedTTL: "0s", cacheUnauthorizedTTL: "0s" } },
    cgroupDriver: "systemd",
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: DNS_DOMAIN,
    healthzBindAddress: "127.0.0.1",
    healthzPort: 10_248,
    rotateCertificates: true,
    staticPodPath: "/etc/kubernetes/manifests",
  };
}

/** A ConfigMap of kube-system that joining machines and nodes may get; they may get no other there. */
function readableMap(
  name: string,
  right: string,
  data: Readonly<Record<string, string>>,
): readonly [WantedObject, WantedObject, WantedObject] {
  const map: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "kube-system" },
    data,
  };
  const readers = readersOf("kube-system", right, {
    rule: { verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: [name] },
    subjects: [groupSubject(NODES_GROUP), groupSubject(JOINING_GROUP)],
  });
  return [{ resource: CONFIG_MAPS, object: map }, ...readers];
}
