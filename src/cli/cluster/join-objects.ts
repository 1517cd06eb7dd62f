// What `kubeadm join` and the kubelet it starts look for: the cluster's configuration, the kubelet's, and who may read them.
// Names, keys and subjects are kubeadm's.

import { stringify } from "yaml";
import type { Role, RoleBinding } from "../../api/access/index.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { CONFIG_MAPS, ROLE_BINDINGS, ROLES } from "../../api/meta/index.ts";
import { DNS_ADDRESS, DNS_DOMAIN, SERVICE_SUBNET } from "./network.ts";
import { groupSubject, JOINING_GROUP, RBAC_GROUP, RBAC_VERSION } from "./rbac-words.ts";
import type { Wanted } from "./wanted.ts";

/** The Kubernetes this API server behaves like; kubeadm compares it with its own. */
const KUBERNETES_VERSION = "v1.36.3";
const NODES_GROUP = "system:nodes";

export interface JoinFacts {
  readonly server: string;
  readonly kubelet?: Readonly<Record<string, unknown>> | undefined;
}

export function joinObjects(cluster: JoinFacts): readonly Wanted[] {
  const kubelet = stringify({ ...kubeletConfiguration(), ...cluster.kubelet });
  const [config, ...readers] = readableMap("kubelet-config", "kubeadm:kubelet-config", { kubelet });
  return [
    ...readableMap("kubeadm-config", "kubeadm:nodes-kubeadm-config", {
      ClusterConfiguration: stringify(clusterConfiguration(cluster)),
    }),
    // The address of the server may change at a restart; what an operator tells kubelets does not, unless he says so.
    { ...config, isMadeOnce: cluster.kubelet === undefined },
    ...readers,
  ];
}

function clusterConfiguration({ server }: JoinFacts): object {
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

/** A ConfigMap of kube-system that joining machines and nodes may read, and nothing else there. */
function readableMap(
  name: string,
  right: string,
  data: Readonly<Record<string, string>>,
): readonly [Wanted, Wanted, Wanted] {
  const home = { namespace: "kube-system" };
  const map: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...home }, data };
  const role: Role = {
    apiVersion: RBAC_VERSION,
    kind: "Role",
    metadata: { name: right, ...home },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: [name] }],
  };
  const binding: RoleBinding = {
    apiVersion: RBAC_VERSION,
    kind: "RoleBinding",
    metadata: { name: right, ...home },
    roleRef: { apiGroup: RBAC_GROUP, kind: "Role", name: right },
    subjects: [groupSubject(NODES_GROUP), groupSubject(JOINING_GROUP)],
  };
  return [
    { resource: CONFIG_MAPS, object: map },
    { resource: ROLES, object: role },
    { resource: ROLE_BINDINGS, object: binding },
  ];
}
