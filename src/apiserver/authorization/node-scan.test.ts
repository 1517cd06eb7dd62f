import { describe, expect, it } from "vitest";
import {
  type KubeObject,
  PERSISTENT_VOLUMES,
  PODS,
  RESOURCE_SLICES,
  type Resource,
  VOLUME_ATTACHMENTS,
} from "../../api/meta/index.ts";
import type { RelatedResource } from "../../authorizer/index.ts";
import { createMemoryStorage } from "../storage/engine.ts";
import { keyOf } from "../storage/key.ts";
import type { ListRange, Stored } from "../storage/storage.ts";
import { createNodeScan } from "./node-scan.ts";

type Row = readonly [resource: Resource, place: string, spec: object, annotations?: Record<string, string>];

const mounts = (secretName: string) => [{ secret: { secretName } }];
const claims = (claimName: string) => [{ persistentVolumeClaim: { claimName } }];
const opens = (secret: string, claim?: string) => ({
  ...(claim === undefined ? {} : { claimRef: { namespace: "ns", name: claim } }),
  csi: { nodeStageSecretRef: { namespace: "far", name: secret } },
});

const ROWS: readonly Row[] = [
  [PODS, "ns/one", { nodeName: "n1", serviceAccountName: "app", volumes: [...mounts("mine"), ...claims("claim")] }],
  [PODS, "ns/two", { nodeName: "n2", volumes: [...mounts("theirs"), ...mounts("both"), ...claims("claim2")] }],
  [PODS, "ns/three", { nodeName: "n1", volumes: mounts("both") }],
  [PODS, "ns/waiting", { volumes: mounts("waiting") }],
  [PODS, "ns/mirror", { nodeName: "n1", volumes: mounts("mirrored") }, { "kubernetes.io/config.mirror": "x" }],
  [PODS, "other/one", { nodeName: "n1", volumes: mounts("elsewhere") }],
  [PERSISTENT_VOLUMES, "/pv", opens("stage", "claim")],
  [PERSISTENT_VOLUMES, "/pv2", opens("stage2", "claim2")],
  [PERSISTENT_VOLUMES, "/free", opens("stage3")],
  [VOLUME_ATTACHMENTS, "/va", { nodeName: "n1" }],
  [RESOURCE_SLICES, "/slice", { nodeName: "n1" }],
  [RESOURCE_SLICES, "/shared", { allNodes: true }],
];

async function storageWith(rows: readonly Row[]) {
  const storage = createMemoryStorage();
  for (const [resource, place, spec, annotations = {}] of rows) {
    const [namespace = "", name = ""] = place.split("/");
    const object = { kind: "", apiVersion: "", metadata: { namespace, name, annotations }, spec } as KubeObject;
    await storage.create(keyOf(resource, { namespace, name }), object);
  }
  return storage;
}

async function ask(line: string, node = "n1"): Promise<boolean> {
  const [resource = "", place = ""] = line.split(" ");
  const slash = place.indexOf("/");
  const object = {
    resource: resource as RelatedResource,
    namespace: place.slice(0, slash),
    name: place.slice(slash + 1),
  };
  return createNodeScan(await storageWith(ROWS)).hasPath(object, node);
}

const RELATED: Readonly<Record<string, readonly string[]>> = {
  "a pod on it": ["pods ns/one", "pods ns/mirror"],
  "what its pods refer to": ["secrets ns/mine", "secrets other/elsewhere", "serviceaccounts ns/app"],
  "a secret that it shares with another node": ["secrets ns/both"],
  "a claim, its volume and the volume's secret": [
    "persistentvolumeclaims ns/claim",
    "persistentvolumes /pv",
    "secrets far/stage",
  ],
  "what names it": ["volumeattachments /va", "resourceslices /slice"],
};

const UNRELATED: Readonly<Record<string, readonly string[]>> = {
  "a pod on another node, on none, or nowhere": ["pods ns/two", "pods ns/waiting", "pods ns/none", "pods other/two"],
  "what other pods refer to": ["secrets ns/theirs", "secrets ns/waiting"],
  "what a mirror pod refers to": ["secrets ns/mirrored"],
  "the same name in another namespace": ["secrets other/mine", "serviceaccounts other/app", "pods /one"],
  "the same name of another kind": ["configmaps ns/mine", "secrets ns/app", "secrets ns/claim"],
  "another node's claim, its volume and its secret": [
    "persistentvolumeclaims ns/claim2",
    "persistentvolumes /pv2",
    "secrets far/stage2",
  ],
  "a volume that nobody claims": ["persistentvolumes /free", "secrets far/stage3"],
  "a volume asked for in a namespace": ["persistentvolumes ns/pv"],
  "a slice for all nodes": ["resourceslices /shared"],
  "names that are no names": ["secrets ns/", "pods ns/a/b", "persistentvolumes /a/b", "secrets n/s/x"],
};

const lines = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(table).flatMap(([what, asked]) => asked.map((line) => [what, line] as const));

describe("a node is related to", () => {
  it.each(lines(RELATED))("%s: %s", async (_what, line) => expect(await ask(line)).toBe(true));
});

describe("a node is not related to", () => {
  it.each(lines(UNRELATED))("%s: %s", async (_what, line) => expect(await ask(line)).toBe(false));
  it("anything when it has no pod", async () => {
    const all = lines(RELATED).map(([, line]) => ask(line, "n3"));
    expect(await Promise.all(all)).not.toContain(true);
  });
});

describe("a relation ends", () => {
  it("with the pod, at once", async () => {
    const storage = await storageWith(ROWS);
    const scan = createNodeScan(storage);
    const secret = { resource: "secrets", namespace: "ns", name: "mine" } as const;
    expect(scan.hasPath(secret, "n1")).toBe(true);
    const key = keyOf(PODS, { namespace: "ns", name: "one" });
    await storage.delete(key, storage.get(key)?.revision ?? 0);
    expect(scan.hasPath(secret, "n1")).toBe(false);
  });

  it("when the pod no longer refers to the object", async () => {
    const storage = await storageWith(ROWS);
    const scan = createNodeScan(storage);
    const secret = { resource: "secrets", namespace: "ns", name: "mine" } as const;
    expect(scan.hasPath(secret, "n1")).toBe(true);
    const key = keyOf(PODS, { namespace: "ns", name: "one" });
    const pod = storage.get(key)?.object as KubeObject & { spec: object };
    await storage.update(
      key,
      { ...pod, spec: { ...pod.spec, volumes: [] } } as KubeObject,
      storage.get(key)?.revision ?? 0,
    );
    expect(scan.hasPath(secret, "n1")).toBe(false);
  });
});

describe("what a pod refers to", () => {
  it("is read from it once, however often nodes ask", async () => {
    const { items } = (await storageWith(ROWS)).list({ prefix: "/" });
    const reads: string[] = [];
    const counted = items.map(
      ({ key, revision, object }): Stored => ({
        key,
        revision,
        get object() {
          reads.push(key);
          return object;
        },
      }),
    );
    const list = ({ prefix }: ListRange) => {
      const found = counted.filter(({ key }) => key.startsWith(prefix));
      return { items: found, revision: 1, remaining: 0 };
    };
    const scan = createNodeScan({ list, get: () => undefined });
    for (const node of ["n1", "n2", "n3"]) scan.hasPath({ resource: "secrets", namespace: "ns", name: "none" }, node);
    const pods = ["mirror", "one", "three", "two", "waiting"].map((name) => `//pods/ns/${name}`);
    const volumes = ["free", "pv", "pv2"].map((name) => `//persistentvolumes//${name}`);
    expect(reads).toEqual([...pods, ...volumes]);
  });
});
