import { describe, expect, it } from "vitest";
import { readInfrastructureRef } from "../../../api/foreign/index.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { silentLog } from "../../../platform/report/index.ts";
import { advertisedSigners, createRegistration } from "./index.ts";

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
    expect(advertisedSigners(served, installed)).toEqual(expected),
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
  const home = (list: () => Promise<unknown>) => ({ list }) as never;

  it.each([
    ["is nothing where Cluster API is not served", "not-found", 0],
    ["is nothing where nobody gave the right", "forbidden", 0],
    ["that fails is told of once", "unavailable", 1],
  ] as const)("%s", async (_, code, told) => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (said: string) => warnings.push(said) };
    const failing = home(() => Promise.reject(new Fault(code, "no list")));
    const register = createRegistration({ home: failing, log, clusterName: "c", signers });
    await register();
    await register();
    expect(warnings).toHaveLength(told);
  });

  it("asks nobody where no signer of ours is served", async () => {
    const unasked = home(() => Promise.reject(new Error("asked")));
    await createRegistration({ home: unasked, log: silentLog, clusterName: "c", signers: undefined })();
  });
});
