// Journeys that change something: create, apply, patch, edit, label, delete, wait.

import { configMap, type Journey, manifests } from "./journey.ts";

const ONE = manifests(configMap("doc", { a: "1", b: "1" }));
const POD = manifests({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "two-containers" },
  spec: {
    containers: [
      { name: "a", image: "example.com/a:1" },
      { name: "b", image: "example.com/b:1" },
    ],
  },
});

const WIDGETS = manifests({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: { size: { type: "integer", minimum: 1 }, color: { type: "string", default: "red" } },
              },
              status: { type: "object", properties: { ready: { type: "boolean" } } },
            },
          },
        },
      },
    ],
  },
});
const widget = (size: unknown) =>
  manifests({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { size } });

export const WRITING: readonly Journey[] = [
  {
    title: "create, and its refusals",
    steps: [
      { run: "create -f -", input: ONE, says: /configmap\/doc created/ },
      {
        run: "create -f -",
        input: ONE,
        code: 1,
        says: /Error from server \(AlreadyExists\).*configmaps "doc" already exists/,
      },
      { run: "create configmap dry --from-literal=a=1 --dry-run=server -o yaml", says: /name: dry/ },
      { run: "get cm dry", code: 1 },
      {
        run: "create -f -",
        input: manifests({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, dat: {} }),
        code: 1,
        says: /strict decoding error: unknown field "dat"/,
      },
      {
        run: "create --validate=warn -f -",
        input: manifests({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, dat: {} }),
        says: /Warning: unknown field "dat"/,
      },
      { run: "create configmap Bad_Name", code: 1, says: /Invalid value: "Bad_Name"/ },
      { run: "create -f - -n nowhere", input: ONE, code: 1, says: /namespaces "nowhere" not found/ },
      {
        run: "create -f -",
        input: manifests({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } }),
        says: /configmap\/made-<random> created/,
      },
      { run: "create serviceaccount robot", says: /created/ },
      { run: "create clusterrole $name-role --verb=get --resource=nodes", says: /created/ },
      { run: "delete clusterrole $name-role", says: /deleted/ },
      { run: "run web --image=example.com/web:1", patiently: true, says: /pod\/web created/ },
      {
        run: "get pod web -o yaml",
        says: [/serviceAccountName: default/, /kube-api-access-/],
      },
      { run: "replace -f -", input: manifests(configMap("doc", { a: "2" })), says: /configmap\/doc replaced/ },
      { run: "replace --force -f -", input: manifests(configMap("doc", { a: "3" })), says: /replaced/ },
    ],
  },
  {
    title: "apply, by the client",
    steps: [
      { run: "apply -f -", input: ONE, says: /configmap\/doc created/ },
      { run: "apply -f -", input: ONE, says: /configmap\/doc unchanged/ },
      {
        run: "diff -f -",
        input: manifests(configMap("doc", { a: "2" })),
        code: 1,
        says: [/^\+ a: "2"$/m, /^- b: "1"$/m],
      },
      { run: "apply -f -", input: manifests(configMap("doc", { a: "2" })), says: /configmap\/doc configured/ },
      { run: "get cm doc -o jsonpath={.data}", says: /^\{"a":"2"\}$/ },
      { run: "apply view-last-applied cm/doc", says: /a: "2"/ },
      { run: "apply --dry-run=server -f -", input: ONE, says: /configured \(server dry run\)/ },
      { run: "apply -f -", input: POD, patiently: true, says: /pod\/two-containers created/ },
      { run: "apply -f -", input: POD.replace("b:1", "b:2"), says: /pod\/two-containers configured/ },
      {
        run: "get pod two-containers -o jsonpath={.spec.containers[*].image}",
        says: /^example\.com\/a:1 example\.com\/b:2$/,
      },
      {
        run: "get pod two-containers -o jsonpath={.metadata.managedFields[*].manager}",
        says: /kubectl-client-side-apply/,
      },
    ],
  },
  {
    title: "apply, by the server, with owners of fields",
    steps: [
      { run: "apply --server-side -f -", input: ONE, says: /configmap\/doc serverside-applied/ },
      {
        run: "apply --server-side --field-manager=other -f -",
        input: manifests(configMap("doc", { a: "2" })),
        code: 1,
        says: /Apply failed with 1 conflict: conflict with "kubectl": \.data\.a/,
      },
      {
        run: "apply --server-side --field-manager=other --force-conflicts -f -",
        input: manifests(configMap("doc", { a: "2" })),
        says: /serverside-applied/,
      },
      { run: "get cm doc -o jsonpath={.data}", says: /^\{"a":"2","b":"1"\}$/ },
      { run: "get cm doc --show-managed-fields -o yaml", says: [/manager: other/, /f:b: \{\}/, /operation: Apply/] },
      { run: "apply --server-side -f -", input: manifests(configMap("doc", {})), says: /serverside-applied/ },
      { run: "get cm doc -o jsonpath={.data}", says: /^\{"a":"2"\}$/ },
      { run: "apply --server-side -f -", input: POD, patiently: true, says: /pod\/two-containers serverside-applied/ },
      {
        run: "apply --server-side --field-manager=images -f -",
        input: POD.replace("b:1", "b:2"),
        code: 1,
        says: /conflict with "kubectl": \.spec\.containers\[name="b"\]\.image/,
      },
      { run: "apply --server-side --dry-run=server -f -", input: POD, says: /serverside-applied \(server dry run\)/ },
    ],
  },
  {
    title: "patch: strategic, merge and JSON",
    steps: [
      { run: "create -f -", input: POD, patiently: true },
      {
        run: 'patch pod two-containers -p {"spec":{"containers":[{"name":"b","image":"example.com/b:2"}]}}',
        says: /patched/,
      },
      {
        run: "get pod two-containers -o jsonpath={.spec.containers[*].image}",
        says: /^example\.com\/a:1 example\.com\/b:2$/,
      },
      {
        run: 'patch pod two-containers -p {"spec":{"containers":[{"name":"b","image":"example.com/b:2"}]}}',
        says: /patched \(no change\)/,
      },
      { run: 'patch pod two-containers --type=merge -p {"metadata":{"labels":{"x":"y"}}}', says: /patched/ },
      {
        run: 'patch pod two-containers --type=json -p [{"op":"replace","path":"/spec/containers/0/image","value":"example.com/a:2"},{"op":"remove","path":"/metadata/labels/x"}]',
        says: /patched/,
      },
      {
        run: "get pod two-containers -o jsonpath={.spec.containers[*].image}{.metadata.labels}",
        says: /^example\.com\/a:2 example\.com\/b:2$/,
      },
      {
        run: 'patch pod two-containers --type=json -p [{"op":"test","path":"/metadata/name","value":"x"}]',
        code: 1,
        differs: ["reason of a failed patch"],
      },
      {
        run: 'patch pod two-containers -p {"spec":{"nodeName":"elsewhere"}}',
        code: 1,
        says: /pod updates may not change fields other than/,
        differs: ["fields of pods that may change"],
      },
      {
        run: 'patch pod two-containers --subresource=status --type=merge -p {"status":{"phase":"Running"}}',
        says: /patched/,
      },
      { run: "get pod two-containers", says: /Running/ },
      { run: "set image pod/two-containers a=example.com/a:3", says: /image updated/ },
    ],
  },
  {
    title: "edit, by a script in the place of the editor",
    steps: [
      { run: "create configmap text --from-literal=word=old" },
      { run: "edit configmap text", env: { KUBE_EDITOR: "sed -i s/old/new/" }, says: /configmap\/text edited/ },
      { run: "get cm text -o jsonpath={.data.word}", says: /^new$/ },
      { run: "edit configmap text", env: { KUBE_EDITOR: "true" }, says: /Edit cancelled, no changes made/ },
    ],
  },
  {
    title: "label and annotate; cordon and taint",
    steps: [
      { run: "create configmap text" },
      { run: "label cm text tier=front", says: /configmap\/text labeled/ },
      {
        run: "label cm text tier=back",
        code: 1,
        says: /'tier' already has a value \(front\), and --overwrite is false/,
      },
      { run: "label cm text tier=back --overwrite", says: /labeled/ },
      { run: "label cm text tier-", says: /unlabeled/ },
      { run: "label cm text tier=a_b/c", code: 1, says: /a valid label must be|Invalid value/ },
      { run: "annotate cm text why=because", says: /configmap\/text annotated/ },
      { run: "get cm text -o jsonpath={.metadata.annotations}{.metadata.labels}", says: /^\{"why":"because"\}$/ },
      { run: "annotate cm text why-", says: /annotated/ },
      { run: "create -f -", input: manifests({ apiVersion: "v1", kind: "Node", metadata: { name: "tainted" } }) },
      { run: "cordon tainted", says: /node\/tainted cordoned/ },
      { run: "get node tainted", says: /SchedulingDisabled/ },
      { run: "uncordon tainted", says: /uncordoned/ },
      { run: "taint node tainted a=b:NoSchedule", says: /tainted/ },
      { run: "get node tainted -o jsonpath={.spec.taints}", says: /"key":"a"/ },
      { run: "taint node tainted a-", says: /untainted/ },
      { run: "delete node tainted" },
    ],
  },
  {
    title: "delete",
    steps: [
      { run: "create configmap a" },
      { run: "create configmap b" },
      { run: "create configmap c" },
      { run: "label cm b c gone=soon" },
      { run: "delete cm a", says: /configmap "a" deleted/ },
      { run: "delete cm a", code: 1, says: /NotFound/ },
      { run: "delete cm a --ignore-not-found" },
      { run: "delete cm -l gone=soon", says: [/"b" deleted/, /"c" deleted/] },
      { run: "create -f -", input: manifests(configMap("held", {}, { finalizers: ["example.com/hold"] })) },
      { run: "delete cm held --wait=false", says: /deleted/ },
      { run: "get cm held -o jsonpath={.metadata.finalizers}", says: /example\.com\/hold/ },
      { run: "delete cm held --timeout=1s", code: 1, says: /timed out waiting/ },
      { run: 'patch cm held --type=merge -p {"metadata":{"finalizers":null}}' },
      { run: "get cm held", code: 1 },
      { run: "create namespace $name-gone" },
      { run: "create configmap inside -n $name-gone" },
      { run: "delete namespace $name-gone --timeout=60s", says: /deleted/ },
      { run: "get namespace $name-gone", code: 1, says: /NotFound/ },
      { run: "create configmap all-1" },
      { run: "delete cm --field-selector metadata.name=all-1", says: /"all-1" deleted/ },
    ],
  },
  {
    title: "wait",
    steps: [
      { run: "create configmap waited --from-literal=a=1" },
      { run: "wait cm/waited --for=jsonpath={.data.a}=1 --timeout=10s", says: /configmap\/waited condition met/ },
      {
        run: "wait cm/waited --for=delete --timeout=20s",
        says: /condition met/,
        during: [{ run: "delete cm waited" }],
      },
      { run: "wait cm/waited --for=jsonpath={.data.a}=1 --timeout=1s", code: 1, says: /not found/ },
      { run: "create configmap waited --from-literal=a=1" },
      {
        run: "wait cm/waited --for=jsonpath={.data.a}=2 --timeout=20s",
        says: /condition met/,
        during: [{ run: 'patch cm waited -p {"data":{"a":"2"}}' }],
      },
      {
        run: "wait cm/waited --for=jsonpath={.data.a}=3 --timeout=1s",
        code: 1,
        says: /timed out waiting for the condition/,
      },
    ],
  },
  {
    title: "custom resources: define, use, explain",
    steps: [
      ...["apply", "create"].map((verb) => ({
        run: `${verb} -f -`,
        input: widget(3),
        code: 1,
        says: /no matches for kind "Widget" in version "example\.com\/v1"\s+ensure CRDs are installed first/,
      })),
      {
        run: "apply -f -",
        input: WIDGETS,
        says: /customresourcedefinition\.apiextensions\.k8s\.io\/widgets\.example\.com created/,
      },
      { run: "wait --for=condition=Established crd/widgets.example.com --timeout=20s", says: /condition met/ },
      { run: "apply -f -", input: widget(3), patiently: true, says: /widget\.example\.com\/w created/ },
      { run: "get widgets", says: /NAME SIZE\nw 3/ },
      { run: "get wd w -o jsonpath={.spec}", says: /^\{"color":"red","size":3\}$/ },
      { run: "apply -f -", input: widget(0), code: 1, says: /spec\.size in body should be greater than or equal to 1/ },
      { run: "apply -f -", input: widget("x"), code: 1, says: /must be of type integer: "string"/ },
      { run: 'patch widget w --subresource=status --type=merge -p {"status":{"ready":true}}', says: /patched/ },
      { run: "explain widget.spec", patiently: true, says: [/color <string>/, /size <integer> -required-/] },
      { run: "delete crd widgets.example.com --timeout=30s", says: /deleted/ },
      {
        run: "get widgets",
        code: 1,
        patiently: true,
        says: /the server doesn't have a resource type|could not find the requested resource|NotFound/,
        differs: ["words for what is gone"],
      },
    ],
  },
];
