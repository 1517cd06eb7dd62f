import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadKnownCluster } from "./known-cluster.ts";
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

  it("is known for the same address in any spelling", async () => {
    expect(await loadKnownCluster(path(), "127.0.0.1")).toEqual(cluster);
    expect(await loadKnownCluster(path(), "https://127.0.0.1:6443/")).toEqual(cluster);
  });

  it("is not taken for another address", async () => {
    expect(await loadKnownCluster(path(), "127.0.0.1:7443")).toBeUndefined();
  });

  it("is unknown without a file, or with one that is not ours any more", async () => {
    writeFileSync(path(), "{");
    expect(await loadKnownCluster(path(), "127.0.0.1")).toBeUndefined();
    writeFileSync(path(), "clusters: []");
    expect(await loadKnownCluster(path(), "127.0.0.1")).toBeUndefined();
    expect(await loadKnownCluster(join(directory, "none"), "127.0.0.1")).toBeUndefined();
  });

  it("does not make an unreadable address pass", async () => {
    await expect(loadKnownCluster(path(), "http://127.0.0.1")).rejects.toMatchObject({ code: "bad-config" });
  });
});
