// Journeys that look: get in all its forms, describe, explain, what is served.

import type { Journey } from "./journey.ts";
import { LEASE, MANY, MANY_FOR_ALL, NODE, POD, TWO } from "./objects.ts";

/** Kinds whose columns are compared. */
const SHOWN = [
  ...[
    "secret/s",
    "serviceaccount/robot",
    "service/svc",
    "pvc/claim",
    "lease/lease",
    "endpointslice/slice",
    "role/role",
  ],
  ...["rolebinding/binding", "clusterrole/cluster-admin", "clusterrolebinding/cluster-admin", "namespace/kube-system"],
  ...["pv/$name-pv", "storageclass/$name-slow", "csidriver/$name.example.com", "csinode/$name-csi"],
  ...["runtimeclass/$name-kata", "priorityclass/$name-high"],
];

/** Kinds with defaults: what is stored is more than what was sent. */
const DEFAULTED = [
  ...["secret/s", "service/svc", "pvc/claim", "pv/$name-pv", "storageclass/$name-slow", "csidriver/$name.example.com"],
  ...["endpointslice/slice", "runtimeclass/$name-kata", "priorityclass/$name-high"],
];

const EXPLAINED = ["csr.spec", "node.status.nodeInfo", "configmap", "lease.spec", "pod.spec.containers.resources"];

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
      ...SHOWN.map((what) => ({ run: `get ${what} -o wide` })),
      ...DEFAULTED.map((what) => ({ run: `get ${what} -o yaml`, differs: ["protection of volumes" as const] })),
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
        differs: ["taint of new nodes"],
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
      { run: "describe namespace kube-system", says: /Status: Active/, differs: ["quotas and limits"] },
      { run: "describe serviceaccount default -n kube-system", patiently: true },
    ],
  },
  {
    title: "what is served: api-resources, api-versions, explain, version",
    steps: [
      {
        run: "api-resources -o wide --sort-by=name",
        says: [/configmaps cm v1 true ConfigMap/, /certificatesigningrequests csr/],
        differs: ["kinds served"],
      },
      { run: "api-resources --api-group=rbac.authorization.k8s.io", says: /clusterrolebindings/ },
      {
        run: "api-resources --api-group=certificates.k8s.io --namespaced=false -o name",
        says: /certificatesigningrequests/,
        differs: ["certificates served"],
      },
      { run: "api-versions", says: [/^certificates\.k8s\.io\/v1$/m, /^v1$/m], differs: ["kinds served"] },
      ...EXPLAINED.map((what) => ({
        run: `explain ${what}`,
        says: /FIELDS:/,
        differs: ["descriptions" as const],
      })),
      { run: "explain csr --recursive", says: /signerName <string>/, differs: ["descriptions" as const] },
      { run: "explain csr.nope", code: 1, says: /field "nope" does not exist/ },
      { run: "version -o json", says: /"serverVersion"/, differs: ["version of the server"] },
      { run: "get --raw /readyz", says: /^ok$/ },
      { run: "get --raw /nope", code: 1, says: /NotFound/ },
    ],
  },
];
