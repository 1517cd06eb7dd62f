// A company's API server: a root of the machine's own store vouches for it, and another CA signs its nodes. Kubeconfigs
// name no CA, as kubectl accepts them. Every command of a node's life uses the roots of the environment that the caller
// passes.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aDocument } from "../../test/builders/discovery.ts";
import { aTestCa } from "../../test/builders/tls-pair.ts";
import { type JoinableCluster, startJoinableCluster } from "../../test/fakes/joinable-cluster.ts";
import { patient } from "../../test/patience.ts";
import { NULL_AUTHENTICATOR } from "../../test/providers/null/index.ts";
import { parseToken } from "../api/bootstrap/index.ts";
import { KUBELET_CLIENT_SIGNER } from "../api/certificates/index.ts";
import { createInsecureProvider } from "../attestation/insecure/node.ts";
import { systemClock } from "../platform/clock/index.ts";
import { loadKubeconfigClient } from "../platform/kube/index.ts";
import { silentLog } from "../platform/report/index.ts";
import { runNodeDaemon } from "./daemon/daemon.ts";
import { renewCertificate } from "./daemon/renew.ts";
import { parseDiscoveryMethod } from "./discovery/index.ts";
import { runAuthenticator } from "./exec/index.ts";
import { gatherHealth } from "./health/gather.ts";
import { isWell, judgeHealth } from "./health/judge.ts";
import { type JoinOptions, joinNode, joinPlaces, leaveCluster, planJoin } from "./join/index.ts";
import { bootstrapKubeconfig } from "./join/kubeconfigs.ts";

const NODE = "worker-1";

describe("a node whose API server is vouched for by the machine's roots", () => {
  const company = aTestCa("company-root");
  let cluster: JoinableCluster;
  let directory = "";
  let options: JoinOptions;
  /** Another machine, that has another company's roots. */
  let strangers: Record<string, string>;

  beforeAll(async () => {
    cluster = await startJoinableCluster({ servingCa: company });
    directory = mkdtempSync(join(tmpdir(), "corporate-roots-"));
    const write = (name: string, text: string) => {
      writeFileSync(join(directory, name), text, { mode: 0o600 });
      return join(directory, name);
    };
    strangers = { SSL_CERT_FILE: write("other.pem", aTestCa("other-root").certPem) };
    const document = write("document", aDocument({ server: cluster.api.url, caPem: "" }));
    options = {
      discovery: parseDiscoveryMethod({ clusterInfoFile: document }),
      bootstrap: { kind: "token", token: parseToken(cluster.token) },
      nodeName: NODE,
      directory: join(directory, "node"),
      provider: createInsecureProvider(),
      signerName: KUBELET_CLIENT_SIGNER,
      clock: systemClock,
      env: { SSL_CERT_FILE: write("roots.pem", company.certPem) },
      limitMs: 20_000,
    };
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true });
  });

  const places = () => joinPlaces(options.directory);
  const renewing = (more: { env: JoinOptions["env"]; bootstrapKubeconfig?: string }) => ({
    ...{ nodeName: NODE, certDirectory: places().certDirectory, kubeconfig: places().kubeconfigPath },
    ...{ bootstrapKubeconfig: undefined, provider: options.provider, signerName: KUBELET_CLIENT_SIGNER },
    ...{ clock: systemClock, serving: undefined, signal: new AbortController().signal },
    ...more,
  });
  const examine = (env: JoinOptions["env"]) =>
    gatherHealth({ directory: options.directory, places: places(), nodeName: NODE, clock: systemClock, env });

  it("is not joined where the machine's roots do not vouch for the server", async () => {
    await expect(joinNode({ ...options, env: strangers, limitMs: 2_000 })).rejects.toMatchObject({ code: "untrusted" });
  });

  it("joins without --client-ca-file, and its kubeconfigs name no CA", async () => {
    expect(await planJoin(options)).toMatchObject({ knownAs: "system:bootstrap:abcdef", isJoined: false });
    const { kubeconfigPath, execKubeconfigPath } = await joinNode(options);
    for (const path of [kubeconfigPath, execKubeconfigPath]) {
      expect(readFileSync(path, "utf8")).not.toContain("certificate-authority");
    }
    expect(await joinNode({ ...options, discovery: undefined })).toMatchObject({ wasJoined: true });
  });

  it("acts as itself through its kubeconfig, and on a machine with other roots does not", async () => {
    const ask = async (env: JoinOptions["env"]) => {
      const client = await loadKubeconfigClient(places().kubeconfigPath, { env });
      try {
        return await client.raw("GET", "/version");
      } finally {
        await client.close();
      }
    };
    expect(await ask(options.env)).toMatchObject({ status: 200 });
    await expect(ask(strangers)).rejects.toMatchObject({ code: "untrusted" });
  });

  it("is found well, and the doctor says whose root vouches", async () => {
    const findings = judgeHealth(await examine(options.env));
    expect(findings.find(({ check }) => check === "CA")).toMatchObject({
      state: "ok",
      text: "a root of this machine vouches for the API server",
    });
    expect(isWell(findings.filter(({ check }) => check !== "plugin"))).toBe(true);
    expect(judgeHealth(await examine(strangers)).find(({ check }) => check === "CA")).toMatchObject({
      state: "failed",
      text: expect.stringContaining("no root of this machine vouches for"),
      todo: expect.stringContaining("SSL_CERT_FILE"),
    });
  });

  it("renews, and refuses to ask a server that the roots do not vouch for", async () => {
    const limits = { onlyIfDue: false, limitMs: 10_000 };
    expect(await renewCertificate({ ...renewing({ env: options.env }), ...limits })).toMatchObject({ isRenewed: true });
    const before = (await cluster.listRequests()).length;
    await expect(renewCertificate({ ...renewing({ env: strangers }), ...limits, limitMs: 1_000 })).rejects.toThrow();
    expect((await cluster.listRequests()).length).toBe(before);
  });

  it("is kept fresh by the daemon, which writes a kubeconfig without CA where there was none", async () => {
    rmSync(places().kubeconfigPath);
    rmSync(places().certDirectory, { recursive: true });
    const bootstrap = join(directory, "bootstrap");
    const address = { server: cluster.api.url, caPem: "", writtenCaPem: "" };
    writeFileSync(bootstrap, bootstrapKubeconfig(address, { token: cluster.token }), { mode: 0o600 });
    const stop = new AbortController();
    const daemon = runNodeDaemon({
      ...renewing({ env: options.env, bootstrapKubeconfig: bootstrap }),
      ...{ rotate: true, log: silentLog, verbosity: 0, signal: stop.signal },
    });
    const isWritten = () => {
      try {
        return readFileSync(places().kubeconfigPath, "utf8");
      } catch {
        return "";
      }
    };
    await expect.poll(isWritten, { timeout: patient(15_000) }).toContain("client-certificate");
    stop.abort();
    await daemon;
    expect(isWritten()).not.toContain("certificate-authority");
  });

  it.each([
    ["what the kubelet says of the cluster", true],
    ["its bootstrap kubeconfig", false],
  ])("renews in its plugin, by %s", async (_by, isTold) => {
    const spec = { interactive: false, ...(isTold ? { cluster: { server: cluster.api.url } } : {}) };
    const info = { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", spec };
    const run = async (env: JoinOptions["env"]) => {
      const said: string[] = [];
      const bootstrap = isTold ? [] : [`--bootstrap-kubeconfig=${join(directory, "bootstrap")}`];
      const code = await runAuthenticator(NULL_AUTHENTICATOR, {
        args: [
          `--node-name=${NODE}`,
          `--cert-dir=${places().certDirectory}`,
          "--evidence-cluster=company",
          ...bootstrap,
        ],
        env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
        // The clerk's certificates last an hour.
        now: () => Date.now() + 0.9 * 3_600_000,
        stdout: () => undefined,
        stderr: (text) => said.push(text),
      });
      return [code, said.join("")];
    };
    const before = (await cluster.listRequests()).length;
    await run(strangers);
    expect((await cluster.listRequests()).length).toBe(before);
    expect(await run(options.env)).toEqual([0, expect.stringContaining("created request")]);
  });

  it("joins by a bootstrap kubeconfig without a CA, as kubectl takes it", async () => {
    const path = join(directory, "bootstrap");
    const own = { ...options, discovery: undefined, bootstrap: { kind: "kubeconfig", path } as const };
    const joined = await joinNode({ ...own, nodeName: "worker-2", directory: join(directory, "second") });
    expect(joined).toMatchObject({ server: cluster.api.url, wasJoined: false });
    const attempt = { ...own, nodeName: "worker-3", directory: join(directory, "third"), env: strangers };
    await expect(joinNode({ ...attempt, limitMs: 2_000 })).rejects.toThrow();
  });

  it("leaves", async () => {
    expect((await leaveCluster(options)).node).not.toContain("not asked for");
  });
});
