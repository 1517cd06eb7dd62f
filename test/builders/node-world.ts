// A small cluster around two nodes: pods that refer to objects in every way there is, volumes with their secrets, and
// beside each thing that node n1 may reach one that it may not. The same objects go to the embedded server and to a
// real one.

import { type ApiEndpoint, callApi } from "../fakes/api-client.ts";
export interface WorldObject {
  /** Of the collection it is POSTed to. */
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>> };
  /** Written to `/status` afterwards. */
  readonly status?: object;
}

/** In every secret; no answer may hold it that is not about a secret of the asking node. */
export const HIDDEN = "aGlkZGVu";

const core = (namespace: string, plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const refer = (name: string) => ({ name });

const container = (name: string, more: object = {}) => ({ name, image: "example.com/image", ...more });
const secretEnv = (secret: string) => ({
  env: [{ name: "A", valueFrom: { secretKeyRef: { name: secret, key: "k" } } }],
});

export const POD_SPEC = {
  containers: [container("main")],
  terminationGracePeriodSeconds: 0,
};

/** Bound to n1; the names of what it refers to say how. */
const REFERRING_POD = {
  ...POD_SPEC,
  nodeName: "n1",
  imagePullSecrets: [refer("s-pull")],
  initContainers: [container("init", secretEnv("s-init"))],
  containers: [
    container("main", {
      ...secretEnv("s-env"),
      envFrom: [{ secretRef: refer("s-envfrom") }, { configMapRef: refer("c-envfrom") }],
    }),
    container("more", { env: [{ name: "B", valueFrom: { configMapKeyRef: { name: "c-env", key: "k" } } }] }),
  ],
  volumes: [
    { name: "a", secret: { secretName: "s-volume" } },
    { name: "b", configMap: refer("c-volume") },
    { name: "c", projected: { sources: [{ secret: refer("s-projected") }, { configMap: refer("c-projected") }] } },
    { name: "d", csi: { driver: "inline.example.com", nodePublishSecretRef: refer("s-csi") } },
    { name: "e", azureFile: { secretName: "s-azure", shareName: "x" } },
    { name: "f", cephfs: { monitors: ["m"], secretRef: refer("s-cephfs") } },
    { name: "g", cinder: { volumeID: "v", secretRef: refer("s-cinder") } },
    { name: "h", flexVolume: { driver: "example.com/d", secretRef: refer("s-flex") } },
    { name: "i", rbd: { monitors: ["m"], image: "i", secretRef: refer("s-rbd") } },
    {
      name: "j",
      scaleIO: {
        gateway: "g",
        system: "s",
        volumeName: "v",
        secretRef: refer("s-scaleio"),
        storageMode: "ThinProvisioned",
      },
    },
    {
      name: "k",
      iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:s", lun: 0, secretRef: refer("s-iscsi") },
    },
    { name: "l", storageos: { volumeName: "v", secretRef: refer("s-storageos") } },
    { name: "m", persistentVolumeClaim: { claimName: "claim" } },
    {
      name: "own",
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    },
    {
      name: "t",
      projected: { sources: [{ serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 3600 } }] },
    },
  ],
  serviceAccountName: "app",
};

const volume = (name: string, claim: string | undefined, source: object) => ({
  path: "/api/v1/persistentvolumes",
  body: named(name, {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      ...(claim === undefined ? {} : { claimRef: { kind: "PersistentVolumeClaim", namespace: "a", name: claim } }),
      ...source,
    },
  }),
});

const claim = (name: string): WorldObject => ({
  path: core("a", "persistentvolumeclaims"),
  body: named(name, {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: `pv-${name}` },
  }),
});

const elsewhere = (name: string) => ({ name, namespace: "b" });
const csiVolume = (driver: string, more: object = {}) => ({ csi: { driver, volumeHandle: "h", ...more } });
const devices = { pool: { name: "pool", generation: 1, resourceSliceCount: 1 }, driver: "gpu.example.com" };

export const slice = (name: string, nodeName: string): WorldObject => ({
  path: "/apis/resource.k8s.io/v1/resourceslices",
  body: named(name, { spec: { ...devices, pool: { ...devices.pool, name }, nodeName } }),
});

const pod = (name: string, spec: object): WorldObject => ({ path: core("a", "pods"), body: named(name, { spec }) });

const WORLD: readonly WorldObject[] = [
  { path: "/api/v1/namespaces", body: named("a") },
  { path: "/api/v1/namespaces", body: named("b") },
  ...["a", "b"].flatMap((namespace) =>
    ["default", "app", "other"].map((name) => ({
      path: core(namespace, "serviceaccounts"),
      body: named(name, { automountServiceAccountToken: false }),
    })),
  ),
  ...["n1", "n2"].map((name) => ({ path: "/api/v1/nodes", body: named(name) })),
  ...["a/s-env", "a/s-other", "a/s-unbound", "b/s-stage", "b/s-stage-other", "b/s-stage-free"].map((place) => {
    const [namespace = "", name = ""] = place.split("/");
    return { path: core(namespace, "secrets"), body: named(name, { data: { k: HIDDEN } }) };
  }),
  {
    path: "/apis/storage.k8s.io/v1/csidrivers",
    body: named("inline.example.com", { spec: { tokenRequests: [{ audience: "inline" }] } }),
  },
  {
    path: "/apis/storage.k8s.io/v1/csidrivers",
    body: named("csi.example.com", { spec: { tokenRequests: [{ audience: "claimed" }] } }),
  },
  claim("claim"),
  claim("claim-other"),
  claim("p-own"),
  volume("pv-claim", "claim", {
    ...csiVolume("csi.example.com", {
      nodePublishSecretRef: elsewhere("s-publish"),
      nodeStageSecretRef: elsewhere("s-stage"),
      nodeExpandSecretRef: elsewhere("s-expand"),
      controllerPublishSecretRef: elsewhere("s-controller-publish"),
      controllerExpandSecretRef: elsewhere("s-controller-expand"),
    }),
  }),
  volume("pv-p-own", "p-own", csiVolume("csi.example.com")),
  volume(
    "pv-claim-other",
    "claim-other",
    csiVolume("csi.example.com", { nodeStageSecretRef: elsewhere("s-stage-other") }),
  ),
  volume("pv-free", undefined, csiVolume("csi.example.com", { nodeStageSecretRef: elsewhere("s-stage-free") })),
  volume("pv-azure", "claim", { azureFile: { secretName: "v-azure", shareName: "x" } }),
  volume("pv-azure-b", "claim", { azureFile: { secretName: "v-azure", secretNamespace: "b", shareName: "x" } }),
  volume("pv-cephfs", "claim", { cephfs: { monitors: ["m"], secretRef: refer("v-cephfs") } }),
  volume("pv-cephfs-b", "claim", { cephfs: { monitors: ["m"], secretRef: elsewhere("v-cephfs") } }),
  volume("pv-rbd", "claim", { rbd: { monitors: ["m"], image: "i", secretRef: refer("v-rbd") } }),
  volume("pv-flex", "claim", { flexVolume: { driver: "example.com/d", secretRef: refer("v-flex") } }),
  volume("pv-cinder", "claim", { cinder: { volumeID: "v", secretRef: elsewhere("v-cinder") } }),
  pod("p", REFERRING_POD),
  pod("p-other", {
    ...POD_SPEC,
    nodeName: "n2",
    serviceAccountName: "other",
    ...podVolumes("s-other", "c-other", "claim-other"),
  }),
  pod("p-unbound", {
    ...POD_SPEC,
    serviceAccountName: "other",
    ...podVolumes("s-unbound", "c-unbound", "claim-unbound"),
  }),
  {
    ...pod("p-devices", {
      ...POD_SPEC,
      nodeName: "n1",
      serviceAccountName: "default",
      resourceClaims: [
        { name: "direct", resourceClaimName: "r-direct" },
        { name: "made", resourceClaimTemplateName: "template" },
        { name: "none", resourceClaimTemplateName: "template" },
      ],
    }),
    status: { resourceClaimStatuses: [{ name: "made", resourceClaimName: "r-made" }] },
  },
  ...["n1", "n2"].map((nodeName) => ({
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    body: named(`va-${nodeName}`, {
      spec: { attacher: "csi.example.com", nodeName, source: { persistentVolumeName: "pv-claim" } },
    }),
  })),
  slice("slice-n1", "n1"),
  slice("slice-n2", "n2"),
];

function podVolumes(secretName: string, configMap: string, claimName: string) {
  return {
    volumes: [
      { name: "a", secret: { secretName } },
      { name: "b", configMap: refer(configMap) },
      { name: "c", persistentVolumeClaim: { claimName } },
    ],
  };
}

/** Creates all of it, as the administrator. */
export async function createWorld(server: ApiEndpoint): Promise<void> {
  for (const { path, body, status } of WORLD) {
    const made = await callApi(server, { method: "POST", path, body });
    if (made.status !== 201) throw new Error(`${path} ${body.metadata.name}: ${made.status} ${made.text}`);
    if (status === undefined) continue;
    const headers = { "content-type": "application/merge-patch+json" };
    const said = await callApi(server, {
      method: "PATCH",
      path: `${path}/${body.metadata.name}/status`,
      body: { status },
      headers,
    });
    if (said.status !== 200) throw new Error(`${path} ${body.metadata.name}/status: ${said.status} ${said.text}`);
  }
}
