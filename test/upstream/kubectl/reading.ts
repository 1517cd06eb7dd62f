// Journeys that look: get in all its forms, describe, explain, what is served.

import { configMap, type Journey, manifests, nothing } from "./journey.ts";

const TWO = manifests(
  configMap("one", { color: "red" }, { labels: { tier: "front" } }),
  configMap("two", { color: "blue", size: "2" }, { labels: { tier: "back" } }),
);

const NODE = manifests({
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

const LEASE = manifests({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "seen", namespace: "kube-node-lease" },
  spec: { holderIdentity: "seen", leaseDurationSeconds: 40, renewTime: "$now" },
});

const POD = manifests({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "bound", labels: { app: "web" } },
  spec: {
    nodeName: "seen",
    containers: [{ name: "web", image: "example.com/web:1", resources: { requests: { cpu: "1", memory: "64Mi" } } }],
  },
});

/** One of every kind that a person lists by itself, all valid with little. */
const MANY = manifests(
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

const MANY_FOR_ALL = manifests(
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

export const READING: readonly Journey[] = [
  {
    title: "get, in every form of output",
    steps: [
      { run: "create -f -", input: TWO, says: [/configmap\/one created/, /configmap\/two created/] },
      { run: "get configmaps one two", says: /NAME DATA AGE\none 1 <age>\ntwo 2 <age>/ },
      { run: "get cm one -o yaml", says: [/^data:\n color: red$/m, /^kind: ConfigMap$/m] },
      { run: "get cm one two -o json", says: /"kind": "List"/ },
      { run: "get cm two -o wide" },
      { run: "get cm one two -o name", says: /configmap\/one\nconfigmap\/two/ },
      { run: "get cm two -o jsonpath={.data.size}", says: /^2$/ },
      { run: "get cm one -o go-template={{.data.color}}", says: /^red$/ },
      { run: "get cm one -o custom-columns=N:.metadata.name,C:.data.color", says: /N C\none red/ },
      { run: "get cm -l tier=front", says: /NAME DATA AGE\none/ },
      { run: "get cm -l tier!=front,tier -o name", says: /^configmap\/two$/ },
      { run: "get cm -l tier --show-labels", says: /tier=back/ },
      { run: "get cm -L tier one", says: /TIER/ },
      { run: "get cm --field-selector metadata.name=two -o name", says: /^configmap\/two$/ },
      { run: "get cm one two --sort-by=.data.color -o name" },
      { run: "get cm --chunk-size=1 -l tier -o name", says: /one\nconfigmap\/two/ },
      {
        run: "get cm one --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}",
        says: /^kubectl-create$/,
      },
      { run: "get cm three", code: 1, says: /Error from server \(NotFound\): configmaps "three" not found/ },
      { run: "get nope", code: 1, says: /the server doesn't have a resource type "nope"/ },
      { run: "get cm --field-selector a=b", code: 1, says: /BadRequest.*"a" is not a known field selector/ },
    ],
  },
  {
    title: "get with many kinds: the columns of each",
    steps: [
      { run: "apply -f -", input: MANY },
      { run: "apply -f -", input: MANY_FOR_ALL },
      ...["secret/s", "serviceaccount/robot", "service/svc", "pvc/claim", "lease/lease", "endpointslice/slice"].map(
        (what) => ({ run: `get ${what} -o wide` }),
      ),
      ...[
        "role/role",
        "rolebinding/binding",
        "pv/$name-pv",
        "storageclass/$name-slow",
        "csidriver/$name.example.com",
      ].map((what) => ({ run: `get ${what} -o wide` })),
      ...["csinode/$name-csi", "runtimeclass/$name-kata", "priorityclass/$name-high", "namespace/kube-system"].map(
        (what) => ({
          run: `get ${what} -o wide`,
        }),
      ),
      ...["clusterrole/cluster-admin", "clusterrolebinding/cluster-admin"].map((what) => ({
        run: `get ${what} -o wide`,
      })),
      ...[
        "secret/s",
        "service/svc",
        "pvc/claim",
        "pv/$name-pv",
        "storageclass/$name-slow",
        "csidriver/$name.example.com",
      ].map((what) => ({ run: `get ${what} -o yaml` })),
      ...["endpointslice/slice", "runtimeclass/$name-kata", "priorityclass/$name-high"].map((what) => ({
        run: `get ${what} -o yaml`,
      })),
    ],
  },
  {
    title: "get -w",
    steps: [
      { run: "create configmap watched --from-literal=a=1" },
      {
        run: "get configmaps -w --output-watch-events --field-selector metadata.name=watched",
        says: [/ADDED watched 1/, /MODIFIED watched 2/, /DELETED watched 2/],
        during: [{ run: 'patch cm watched -p {"data":{"b":"2"}}' }, { run: "delete cm watched" }],
      },
      {
        run: "get configmap late -w -o name",
        code: 1,
        says: /NotFound/,
      },
    ],
  },
  {
    title: "describe a node and its pods",
    steps: [
      { run: "create -f -", input: NODE },
      { run: "create -f - -n kube-node-lease", input: LEASE },
      { run: "create -f -", input: POD, patiently: true },
      { run: "get node seen", says: /seen Ready worker <age> v1\.36\.3/ },
      { run: "get node seen -o wide", says: /192\.0\.2\.7/ },
      { run: "get pod bound -o wide", says: /bound 0\/1 Pending 0 <age> <none> seen/ },
      { run: "describe pod bound", says: /Image: example\.com\/web:1/ },
      {
        run: "describe node seen",
        says: [/Roles: worker/, /HolderIdentity: seen/, /web|bound/, /KubeletReady/, /cpu 1 \(25%\)/],
      },
      { run: "delete pod bound --grace-period=0 --force" },
      { run: "delete node seen" },
      { run: "delete lease seen -n kube-node-lease" },
    ],
  },
  {
    title: "describe what is made of text: configmap, secret, service account, roles, namespace",
    steps: [
      { run: "create configmap text --from-literal=a=1" },
      { run: "create secret generic hidden --from-literal=password=x" },
      { run: "create role reader --verb=get,list --resource=pods" },
      { run: "create rolebinding reads --role=reader --user=jane" },
      { run: "describe configmap text", says: /a:\n---\n1/ },
      { run: "describe secret hidden", says: /password: 1 bytes/ },
      { run: "describe role reader", says: /pods \[\] \[\] \[get list\]/ },
      { run: "describe rolebinding reads", says: /User jane/ },
      {
        run: "describe clusterrole system:node-bootstrapper",
        says: /certificatesigningrequests\.certificates\.k8s\.io/,
      },
      { run: "describe namespace kube-system", says: /Status: Active/ },
      { run: "describe serviceaccount default -n kube-system", patiently: true },
    ],
  },
  {
    title: "what is served: api-resources, api-versions, explain, version",
    steps: [
      // The embedded server serves fewer kinds; each that it serves is shown as a real one shows it (see the test below).
      {
        run: "api-resources -o wide --sort-by=name",
        says: [/configmaps cm v1 true ConfigMap/, /certificatesigningrequests csr/],
        compared: nothing,
      },
      { run: "api-resources --api-group=rbac.authorization.k8s.io", says: /clusterrolebindings/ },
      {
        run: "api-resources --api-group=certificates.k8s.io --namespaced=false -o name",
        says: /certificatesigningrequests/,
        compared: (text) =>
          text
            .split("\n")
            .filter((line) => line.startsWith("certificatesigningrequests"))
            .join(),
      },
      { run: "api-versions", says: [/^certificates\.k8s\.io\/v1$/m, /^v1$/m], compared: nothing },
      ...["csr.spec", "node.status.nodeInfo", "configmap", "lease.spec", "pod.spec.containers.resources"].map(
        (what) => ({
          run: `explain ${what}`,
          says: /FIELDS:/,
          compared: fieldsOf,
        }),
      ),
      { run: "explain csr --recursive", says: /signerName <string>/, compared: fieldsOf },
      { run: "explain csr.nope", code: 1, says: /field "nope" does not exist/ },
      { run: "version -o json", says: /"serverVersion"/, compared: nothing },
      { run: "get --raw /readyz", says: /^ok$/ },
      { run: "get --raw /nope", code: 1, says: /NotFound/ },
    ],
  },
];

/** The descriptions of a real server are Kubernetes' own sentences; names, types and the mark of required fields are the contract. */
function fieldsOf(output: string): string {
  return output
    .split("\n")
    .filter((line) => /^(GROUP|KIND|VERSION|FIELD|RESOURCE)|^\s*\w+\s<.+>/.test(line))
    .map((line) => line.trim())
    .join("\n");
}
