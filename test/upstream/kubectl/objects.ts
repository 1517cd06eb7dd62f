// Manifests of the journeys that look at many kinds: valid with little, and a value in every column that is shown.

import { configMap, manifests } from "./journey.ts";

export const TWO = manifests(
  configMap("one", { color: "red" }, { labels: { tier: "front" } }),
  configMap("two", { color: "blue", size: "2" }, { labels: { tier: "back" } }),
);

export const NODE = manifests({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "seen", labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/os": "linux" } },
  spec: { podCIDR: "10.1.0.0/24", taints: [{ key: "dedicated", value: "x", effect: "NoSchedule" }] },
  status: {
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
    addresses: [{ type: "InternalIP", address: "192.0.2.7" }],
    conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }],
    nodeInfo: {
      kubeletVersion: "v1.36.3",
      osImage: "Debian",
      containerRuntimeVersion: "containerd://2",
      operatingSystem: "linux",
      architecture: "amd64",
    },
  },
});

export const LEASE = manifests({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "seen", namespace: "kube-node-lease" },
  spec: { holderIdentity: "seen", leaseDurationSeconds: 40, renewTime: "$now" },
});

export const POD = manifests({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "bound", labels: { app: "web" } },
  spec: {
    nodeName: "seen",
    containers: [{ name: "web", image: "example.com/web:1", resources: { requests: { cpu: "1", memory: "64Mi" } } }],
  },
});

/** One of every kind that a person lists by itself, all valid with little. */
export const MANY = manifests(
  { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { password: "x" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "svc" },
    spec: { clusterIP: "None", ports: [{ port: 80 }], selector: { app: "web" } },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "claim" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "lease" },
    spec: { holderIdentity: "me", leaseDurationSeconds: 15 },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "slice" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"] }],
    ports: [{ name: "http", port: 80 }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "role" },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "binding" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "role" },
    subjects: [{ kind: "ServiceAccount", name: "robot" }],
  },
);

export const MANY_FOR_ALL = manifests(
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "$name-pv" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/x" } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "$name-slow" },
    provisioner: "example.com/slow",
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: "$name.example.com" },
    spec: { attachRequired: false },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name: "$name-csi" },
    spec: { drivers: [{ name: "$name.example.com", nodeID: "node-1" }] },
  },
  { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "$name-kata" }, handler: "kata" },
  { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "$name-high" }, value: 1000 },
);
