// A node behind a company's proxy: the API server has a name that only the proxy can resolve, and the proxy is named in
// the environment that the caller passes. Every request of every command goes through it, and none reads the process's
// own environment.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConnectProxy, startConnectProxy } from "../../test/fakes/connect-proxy.ts";
import { type JoinableCluster, startJoinableCluster } from "../../test/fakes/joinable-cluster.ts";
import { NULL_AUTHENTICATOR, NULL_CLIENT_SIGNER } from "../../test/providers/null/index.ts";
import { encodeBase64, encodeUtf8 } from "../kernel/bytes/index.ts";
import { systemClock } from "../platform/clock/index.ts";
import { loadKubeconfigConnection } from "../platform/kube/index.ts";
import { renewCertificate } from "./daemon/renew.ts";
import { runAuthenticator } from "./exec/index.ts";
import { gatherHealth } from "./health/gather.ts";
import { type JoinOptions, joinNode, joinPlaces, leaveCluster, planJoin } from "./join/index.ts";
import { bootstrapKubeconfig } from "./join/kubeconfigs.ts";

const HOST = "api.cluster.invalid";
const SERVER = `https://${HOST}:6443`;

describe("a node behind a proxy", () => {
  let cluster: JoinableCluster;
  let proxy: ConnectProxy;
  let options: JoinOptions;
  let directory = "";

  beforeAll(async () => {
    cluster = await startJoinableCluster();
    proxy = await startConnectProxy({ routes: { [`${HOST}:6443`]: cluster.api.port } });
    directory = mkdtempSync(join(tmpdir(), "behind-a-proxy-"));
    const path = join(directory, "bootstrap");
    const address = { server: SERVER, caPem: cluster.api.caPem, tlsServerName: "localhost" };
    writeFileSync(path, bootstrapKubeconfig(address, { token: cluster.token }), { mode: 0o600 });
    options = {
      bootstrap: { kind: "kubeconfig", path },
      nodeName: "worker-1",
      directory: join(directory, "node"),
      provider: await NULL_AUTHENTICATOR.loadProvider(new Map()),
      clock: systemClock,
      env: { HTTPS_PROXY: proxy.url },
    };
  });
  afterAll(async () => {
    await proxy.close();
    await cluster.close();
    rmSync(directory, { recursive: true });
  });

  const places = () => joinPlaces(options.directory);
  /** Each connection that the proxy was asked for meanwhile went to the API server, and there was one. */
  async function throughProxy<T>(act: () => Promise<T>): Promise<T> {
    proxy.asked.length = 0;
    const result = await act();
    expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:6443`]));
    return result;
  }

  it("shows its credential when it only plans", async () => {
    const plan = await throughProxy(() => planJoin(options));
    expect(plan).toMatchObject({ knownAs: "system:bootstrap:abcdef", isJoined: false });
  });

  it("joins", async () => {
    expect(await throughProxy(() => joinNode(options))).toMatchObject({ server: SERVER, wasJoined: false });
  });

  const examine = (env: JoinOptions["env"]) => {
    const { nodeName, clock } = options;
    return gatherHealth({ directory: options.directory, places: places(), nodeName, clock, env });
  };

  it("is found well, as the node that it is", async () => {
    const facts = await throughProxy(() => examine(options.env));
    expect(facts.reach).toEqual({ kind: "answers", serverMs: expect.any(Number) });
    expect(facts.identity).toEqual({ kind: "Present", value: "system:node:worker-1" });
  });

  it("is told which proxy is away, and not that the server is", async () => {
    const { reach } = await examine({ HTTPS_PROXY: "http://127.0.0.1:1" });
    expect(reach).toEqual({ kind: "unreachable", why: "cannot reach proxy 127.0.0.1:1" });
    expect((await examine({})).reach).toMatchObject({ kind: "no-name", host: HOST });
  });

  it("renews", async () => {
    const { certDirectory, kubeconfigPath: kubeconfig } = places();
    const { nodeName, provider, clock, env } = options;
    const renewal = await throughProxy(() =>
      renewCertificate({
        ...{ nodeName, certDirectory, kubeconfig, bootstrapKubeconfig: undefined, provider, clock, env },
        ...{ signerName: NULL_CLIENT_SIGNER, serving: undefined, onlyIfDue: false, limitMs: 10_000 },
        signal: new AbortController().signal,
      }),
    );
    expect(renewal.isRenewed).toBe(true);
  });

  it.each(["what the kubelet says of the cluster", "its bootstrap kubeconfig"])(
    "renews in its plugin, by %s",
    async (by) => {
      const caData = encodeBase64(encodeUtf8(cluster.api.caPem));
      const entry = { server: SERVER, "certificate-authority-data": caData, "tls-server-name": "localhost" };
      const isTold = by.startsWith("what");
      const spec = { interactive: false, ...(isTold ? { cluster: entry } : {}) };
      const info = { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", spec };
      const said: string[] = [];
      const code = await throughProxy(() =>
        runAuthenticator(NULL_AUTHENTICATOR, {
          args: ["--node-name=worker-1", `--cert-dir=${places().certDirectory}`, ...(isTold ? [] : [bootstrapFlag()])],
          env: { ...options.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
          // The clerk's certificates last an hour.
          now: () => Date.now() + 0.9 * 3_600_000,
          stdout: () => undefined,
          stderr: (text) => said.push(text),
        }),
      );
      expect([code, said.join("")]).toEqual([0, expect.stringContaining("created request")]);
    },
  );
  const bootstrapFlag = () => `--bootstrap-kubeconfig=${join(directory, "bootstrap")}`;

  it("leaves", async () => {
    const left = await throughProxy(() => leaveCluster(options));
    expect(left.node).not.toContain("not removed (no connection");
  });

  it("goes by the proxy of its kubeconfig before that of the environment, and hands it on", async () => {
    const path = join(directory, "bootstrap-with-proxy");
    const address = { server: SERVER, caPem: cluster.api.caPem, tlsServerName: "localhost", proxyUrl: proxy.url };
    writeFileSync(path, bootstrapKubeconfig(address, { token: cluster.token }), { mode: 0o600 });
    const named = {
      ...options,
      ...{ nodeName: "worker-2", directory: join(directory, "second"), env: { HTTPS_PROXY: "http://127.0.0.1:1" } },
      bootstrap: { kind: "kubeconfig", path } as const,
      registerNode: { addresses: [] },
    };
    expect(await throughProxy(() => planJoin(named))).toMatchObject({ knownAs: "system:bootstrap:abcdef" });
    const { kubeconfigPath, execKubeconfigPath } = await throughProxy(() => joinNode(named));
    for (const written of [kubeconfigPath, execKubeconfigPath]) {
      expect(await loadKubeconfigConnection(written)).toMatchObject({ proxyUrl: proxy.url });
    }
    const { nodeName, clock, env } = named;
    const facts = await throughProxy(() =>
      gatherHealth({ directory: named.directory, places: joinPlaces(named.directory), nodeName, clock, env }),
    );
    expect(facts.reach).toMatchObject({ kind: "answers" });
    expect(facts.identity).toEqual({ kind: "Present", value: "system:node:worker-2" });
    expect(await throughProxy(() => leaveCluster(named))).toMatchObject({ node: expect.any(String) });
  });
});
