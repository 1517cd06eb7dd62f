import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDiscoveryMethod } from "../discovery/index.ts";
import { isSameCluster, loadKnownCluster } from "./known-cluster.ts";
import { fileKubeconfig } from "./kubeconfigs.ts";

describe("the cluster that a directory has joined", () => {
  let directory = "";
  const path = () => join(directory, "kubeconfig");
  const cluster = { server: "https://127.0.0.1:6443", caPem: "PEM" };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "known-"));
    writeFileSync(path(), fileKubeconfig(cluster, "/current.pem"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const method = (address: string) => parseDiscoveryMethod({ address, token: "abcdef.0123456789abcdef" });

  it("is read from its kubeconfig", async () => expect(await loadKnownCluster(path(), {})).toEqual(cluster));

  it("is the same for the same address in any spelling, and when none is named", () => {
    expect(isSameCluster(cluster, method("127.0.0.1"))).toBe(true);
    expect(isSameCluster(cluster, method("10.0.0.9,https://127.0.0.1:6443/"))).toBe(true);
    expect(isSameCluster(cluster, undefined)).toBe(true);
  });

  it("is not taken for another address, or for that of a document nobody has read yet", () => {
    expect(isSameCluster(cluster, method("127.0.0.1:7443"))).toBe(false);
    expect(isSameCluster(cluster, parseDiscoveryMethod({ clusterInfoFile: "cluster-info" }))).toBe(false);
  });

  it("is unknown without a file, or with one that is not ours any more", async () => {
    writeFileSync(path(), "{");
    expect(await loadKnownCluster(path(), {})).toBeUndefined();
    writeFileSync(path(), "clusters: []");
    expect(await loadKnownCluster(path(), {})).toBeUndefined();
    expect(await loadKnownCluster(join(directory, "none"), {})).toBeUndefined();
  });
});
