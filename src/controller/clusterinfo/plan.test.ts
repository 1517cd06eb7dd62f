import { describe, expect, it } from "vitest";
import { START_MS } from "../../../test/fakes/clock.ts";
import { buildTokenSecret } from "../../api/bootstrap/index.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { parseKubeconfig, readClusterLocation } from "../../api/kubeconfig/index.ts";
import { verifyDetachedHs256 } from "../../kernel/jose/index.ts";
import { planClusterInfo } from "./plan.ts";

const KUBECONFIG = "apiVersion: v1\nclusters: []\n";
const alpha = { id: "aaaaaa", secret: "0123456789abcdef" };
const beta = { id: "bbbbbb", secret: "fedcba9876543210" };
const nowMs = START_MS;

function aConfigMap(data?: Record<string, string>): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "cluster-info" },
    ...(data === undefined ? {} : { data }),
  };
}

const unsigned = aConfigMap({ kubeconfig: KUBECONFIG });
const secrets = [buildTokenSecret(alpha, { nowMs, ttlMs: 60_000 }), buildTokenSecret(beta, { nowMs, ttlMs: 30_000 })];

describe("the plan for cluster-info", () => {
  it("signs the kubeconfig with every token, and looks again when the first of them ends", () => {
    const { data = {}, nextExpiryMs } = planClusterInfo({ nowMs, configMap: unsigned, secrets });
    expect(Object.keys(data).toSorted()).toEqual(["jws-kubeconfig-aaaaaa", "jws-kubeconfig-bbbbbb", "kubeconfig"]);
    const jws = data["jws-kubeconfig-bbbbbb"] ?? "";
    expect(verifyDetachedHs256({ jws, keyId: beta.id, secret: beta.secret, content: KUBECONFIG })).toBe(true);
    expect(nextExpiryMs).toBe(nowMs + 30_000);
  });

  it("does nothing when all signatures are right", () => {
    const { data } = planClusterInfo({ nowMs, configMap: unsigned, secrets });
    expect(planClusterInfo({ nowMs, configMap: aConfigMap(data), secrets })).toEqual({ nextExpiryMs: nowMs + 30_000 });
  });

  it("takes the signature of an ended token away, at the very end", () => {
    const { data } = planClusterInfo({ nowMs, configMap: unsigned, secrets });
    const later = planClusterInfo({ nowMs: nowMs + 30_000, configMap: aConfigMap(data), secrets });
    expect(Object.keys(later.data ?? {}).toSorted()).toEqual(["jws-kubeconfig-aaaaaa", "kubeconfig"]);
    expect(later.nextExpiryMs).toBe(nowMs + 60_000);
  });

  it("takes away what no token signed, and a signature over another kubeconfig", () => {
    const forged = aConfigMap({
      kubeconfig: KUBECONFIG,
      "jws-kubeconfig-cccccc": "x..y",
      "jws-kubeconfig-aaaaaa": "old",
    });
    const { data = {} } = planClusterInfo({ nowMs, configMap: forged, secrets: secrets.slice(0, 1) });
    expect(Object.keys(data).toSorted()).toEqual(["jws-kubeconfig-aaaaaa", "kubeconfig"]);
    expect(data["jws-kubeconfig-aaaaaa"]).not.toBe("old");
  });

  it("keeps keys that are not signatures", () => {
    const configMap = aConfigMap({ kubeconfig: KUBECONFIG, note: "kept" });
    expect(planClusterInfo({ nowMs, configMap, secrets }).data).toMatchObject({ note: "kept" });
  });

  it.each<[string, ConfigMap | undefined]>([
    ["there is no cluster-info", undefined],
    ["it has no data", aConfigMap()],
    ["it has no kubeconfig", aConfigMap({ "jws-kubeconfig-aaaaaa": "x" })],
  ])("does nothing when %s", (_, configMap) => {
    expect(planClusterInfo({ nowMs, configMap, secrets })).toEqual({});
  });
});

describe("the plan for cluster-info where the operator says where the cluster is", () => {
  const caPem = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
  const location = { servers: ["https://10.0.0.1:6443"] as const, caPem };
  const planned = (configMap: ConfigMap | undefined, more: object = {}) =>
    planClusterInfo({ nowMs, configMap, secrets, location: { ...location, ...more } });
  const written = planned(undefined).data ?? {};
  const clusterIn = (data: Readonly<Record<string, string>> = {}) =>
    parseKubeconfig(data["kubeconfig"] ?? "").clusters.map(({ name, cluster }) => ({ name, ...cluster }))[0];

  it("makes it where it is missing: one unnamed cluster, nobody's credentials, signed", () => {
    expect(Object.keys(written).toSorted()).toEqual(["jws-kubeconfig-aaaaaa", "jws-kubeconfig-bbbbbb", "kubeconfig"]);
    const { users, contexts, currentContext } = parseKubeconfig(written["kubeconfig"] ?? "");
    expect({ users, contexts, currentContext }).toEqual({ users: [], contexts: [], currentContext: "" });
    expect(clusterIn(written)).toEqual({
      name: "",
      server: "https://10.0.0.1:6443",
      "certificate-authority-data": Buffer.from(caPem).toString("base64"),
    });
  });

  it("leaves every byte of one that says the same, in whatever words", () => {
    const inOtherWords = `# by kubeadm\n${written["kubeconfig"]}`;
    const { data } = planned(aConfigMap({ kubeconfig: inOtherWords }));
    expect(data?.["kubeconfig"]).toBe(inOtherWords);
    expect(planned(aConfigMap(written)).data).toBeUndefined();
  });

  it.each<[string, object]>([
    ["the address", { servers: ["https://10.0.0.2:6443"] }],
    ["the CA", { caPem: `${caPem}${caPem}` }],
    ["the set of addresses", { servers: ["https://10.0.0.1:6443", "https://10.0.0.2:6443"] }],
    ["the cluster's id", { clusterId: "c-1" }],
  ])("writes and signs it anew when %s changes", (_what, more) => {
    const { data = {} } = planned(aConfigMap(written), more);
    expect(data["kubeconfig"]).not.toBe(written["kubeconfig"]);
    const jws = data["jws-kubeconfig-aaaaaa"] ?? "";
    const content = data["kubeconfig"] ?? "";
    expect(verifyDetachedHs256({ jws, keyId: alpha.id, secret: alpha.secret, content })).toBe(true);
    expect(planned(aConfigMap(data), more).data).toBeUndefined();
  });

  it.each(["", "not: [yaml", "kind: Config\nclusters: []\n", "x".repeat(10)])("replaces %j", (kubeconfig) => {
    expect(clusterIn(planned(aConfigMap({ kubeconfig })).data)?.server).toBe("https://10.0.0.1:6443");
  });

  it("keeps further addresses and the id where other clients do not look", () => {
    const more = { servers: ["https://a:6443", "https://b:6443"], clusterId: "c-1" };
    const cluster = clusterIn(planned(undefined, more).data);
    expect(cluster?.server).toBe("https://a:6443");
    expect(cluster === undefined ? {} : readClusterLocation(cluster)).toMatchObject(more);
  });

  it("keeps the id of a cluster that moved, though nobody says it again", () => {
    const named = planned(undefined, { clusterId: "c-1" }).data ?? {};
    const cluster = clusterIn(planned(aConfigMap(named), { servers: ["https://10.0.0.2:6443"] }).data);
    expect(cluster?.server).toBe("https://10.0.0.2:6443");
    expect(cluster === undefined ? {} : readClusterLocation(cluster)).toMatchObject({ clusterId: "c-1" });
  });
});
