import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseKubeconfig, selectContext } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { parseDiscoveryMethod } from "../discovery/index.ts";
import { execKubeconfig, fileKubeconfig, isSameCluster, loadKnownCluster } from "./kubeconfigs.ts";

const cluster = { server: "https://[::1]:6443", caPem: "-----BEGIN CERTIFICATE-----\n" };
const expectedCluster = {
  server: "https://[::1]:6443",
  "certificate-authority-data": encodeBase64(encodeUtf8(cluster.caPem)),
};

describe("the kubeconfigs of a joined node", () => {
  it("point, in the file form, both certificate and key at the current pair, as a kubelet does", () => {
    const path = "/var/lib/kubelet/pki/kubelet-client-current.pem";
    expect(selectContext(parseKubeconfig(fileKubeconfig(cluster, path)))).toEqual({
      cluster: expectedCluster,
      user: { "client-certificate": path, "client-key": path },
      namespace: "default",
    });
  });

  it("name, in the exec form, the plugin with all that client-go demands of version 1", () => {
    const text = execKubeconfig(cluster, { command: "kubelet-authenticator-insecure", args: ["--node-name=a"] });
    expect(selectContext(parseKubeconfig(text))).toMatchObject({
      cluster: expectedCluster,
      user: {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "kubelet-authenticator-insecure",
          args: ["--node-name=a"],
          interactiveMode: "Never",
          provideClusterInfo: true,
        },
      },
    });
  });
});

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
