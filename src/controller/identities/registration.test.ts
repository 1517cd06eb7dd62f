import { describe, expect, it } from "vitest";
import { readInfrastructureRef } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { ClusterName } from "../machines/index.ts";
import { advertisedSigners, createRegistration, requireOneCluster } from "./registration.ts";

const CLIENT = "cluster.x-k8s.io/kube-apiserver-client-kubelet-";
const SERVING = "cluster.x-k8s.io/kubelet-serving-";

describe("the signers that are advertised", () => {
  const rows: Readonly<Record<string, [readonly string[], readonly string[], object | undefined]>> = {
    "are the TPM's": [
      [`${CLIENT}tpm`, `${SERVING}tpm`, `${CLIENT}insecure`],
      [],
      { client: `${CLIENT}tpm`, serving: `${SERVING}tpm` },
    ],
    "are those of an installed provider before them": [
      [`${CLIENT}tpm`, `${CLIENT}aws`, `${SERVING}aws`],
      ["aws"],
      { client: `${CLIENT}aws`, serving: `${SERVING}aws` },
    ],
    "are not those of one that is not served": [[`${CLIENT}tpm`], ["aws"], { client: `${CLIENT}tpm` }],
    "have nothing for serving where nothing is proven": [[`${CLIENT}insecure`], [], { client: `${CLIENT}insecure` }],
    "are none where Kubernetes' own are all there is": [["kubernetes.io/kubelet-serving"], [], undefined],
  };
  it.each(Object.entries(rows))("%s", (_, [served, installed, expected]) =>
    expect(advertisedSigners(served, [...installed, "tpm", "insecure"])).toEqual(expected),
  );
});

describe("the infrastructure of a Cluster", () => {
  const cluster = (infrastructureRef?: unknown) =>
    ({ apiVersion: "", kind: "", metadata: { namespace: "n" }, spec: { infrastructureRef } }) as unknown as KubeObject;

  it.each<[string, unknown, object | undefined]>([
    [
      "in v1beta2",
      { apiGroup: "i.io", kind: "K", name: "x" },
      { group: "i.io", version: undefined, kind: "K", name: "x", namespace: "n" },
    ],
    [
      "in v1beta1, whose namespace is not believed",
      { apiVersion: "i.io/v1", kind: "K", name: "x", namespace: "other" },
      { group: "i.io", version: "v1", kind: "K", name: "x", namespace: "n" },
    ],
    ["that is not there", undefined, undefined],
    ["of the core group", { apiVersion: "v1", kind: "Secret", name: "x" }, undefined],
    ["without a name", { apiGroup: "i.io", kind: "K" }, undefined],
  ])("%s", (_, ref, expected) => {
    expect(readInfrastructureRef(cluster(ref))).toEqual(expected);
  });
});

describe("registration", () => {
  const signers = { client: `${CLIENT}tpm`, serving: `${SERVING}tpm` };
  const management = (list: () => Promise<unknown>) => ({ list }) as never;

  it.each([
    ["is nothing where Cluster API is not served", "not-found", 0],
    ["is nothing where nobody gave the right", "forbidden", 0],
    ["that fails is told of once", "unavailable", 1],
  ] as const)("%s", async (_, code, told) => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (said: string) => warnings.push(said) };
    const failing = management(() => Promise.reject(new Fault(code, "no list")));
    const register = createRegistration({ management: failing, log, clusterName: "c", signers });
    await register();
    await register();
    expect(warnings).toHaveLength(told);
  });

  const cluster: KubeObject = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: { name: "c", namespace: "n" },
    spec: { infrastructureRef: { apiGroup: "infra.example", kind: "InfraCluster", name: "c" } },
  } as KubeObject;

  it.each([
    ["may not be asked", [403, "no"], ["forbidden", "server answered 403: no"]],
    ["cannot be asked", [503, "<html></html>"], ["unavailable", "server answered 503"]],
    ["is behind a page", [200, "<html></html>"], ["malformed", "must answer with JSON"]],
    ["is not served", [404, "404 page not found"], ["not-found", "infra.example is not served"]],
  ] as const)("says why, where the infrastructure's kind %s", async (_, [status, body], [code, words]) => {
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (_said: string, fields?: object) => warnings.push(fields) };
    const raw = async () => ({ status, body: Buffer.from(body) });
    const failing = { list: async () => ({ items: [cluster] }), raw } as never;
    await createRegistration({ management: failing, log, clusterName: "c", signers })();
    expect(warnings).toMatchObject([{ error: { code, message: expect.stringContaining(words) } }]);
  });

  it("asks nobody where no signer of ours is served", async () => {
    const unasked = management(() => Promise.reject(new Error("asked")));
    await createRegistration({ management: unasked, log: silentLog, clusterName: "c", signers: undefined })();
  });
});

describe("the Cluster that this one is", () => {
  const inNamespaces = (...namespaces: readonly string[]) => ({
    list: async () => ({ items: namespaces.map((namespace) => ({ metadata: { name: "east", namespace } })) }),
  });
  const start = (list: object, cluster: ClusterName = { name: "east" }) => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (said: string) => warnings.push(said) };
    return requireOneCluster(list as never, { cluster, log }).then(() => warnings);
  };

  it("is one, or none that can be seen", async () => {
    expect(await start(inNamespaces())).toEqual([]);
    expect(await start(inNamespaces("fleet"))).toEqual([]);
  });

  it("is not to be guessed from a name that two have", async () => {
    await expect(start(inNamespaces("west", "fleet"))).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringMatching(/^--cluster-name east is the name of fleet\/east, west\/east: say which/),
    });
  });

  it.each([
    ["not-found", 0],
    ["forbidden", 0],
    ["unavailable", 1],
  ] as const)("keeps nobody from starting where the answer is %s", async (code, told) => {
    const failing = { list: () => Promise.reject(new Fault(code, "no list")) };
    expect(await start(failing)).toHaveLength(told);
  });
});
