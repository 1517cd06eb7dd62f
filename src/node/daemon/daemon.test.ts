// The daemon on a cluster that signs, and the feature's life as in KEP-266's questionnaire: off, on, off, on again.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { get as getSecurely } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeKubeconfigFile } from "../../../test/builders/kubeconfig-file.ts";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import { patient } from "../../../test/patience.ts";
import { KUBELET_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import { createInsecureProvider } from "../../attestation/insecure/node.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { loadKubeconfigClient } from "../../platform/kube/index.ts";
import { createLog } from "../../platform/report/index.ts";
import { createDiscoveryCache, discover, parseDiscoveryMethod, wayOf } from "../discovery/index.ts";
import { runNodeDaemon } from "./daemon.ts";
import type { DaemonOptions } from "./options.ts";
import { renewCertificate } from "./renew.ts";

describe("the node daemon", () => {
  let cluster: JoinableCluster;
  let directory = "";
  let lines: string[] = [];
  const running: (() => Promise<unknown>)[] = [];
  const at = (name: string) => join(directory, name);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "daemon-"));
    cluster = await startJoinableCluster();
    lines = [];
    writeKubeconfigFile(at("bootstrap"), cluster.api, { token: cluster.token });
    const { certPem, keyPem } = cluster.api.issueClientCertificate({
      user: "system:node:worker-1",
      groups: ["system:nodes"],
    });
    writeFileSync(at("static.crt"), certPem);
    writeFileSync(at("static.key"), keyPem, { mode: 0o600 });
    writeKubeconfigFile(at("static"), cluster.api, { "client-certificate": "static.crt", "client-key": "static.key" });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stop) => stop()));
    await cluster.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function options(more: Partial<DaemonOptions>): Promise<DaemonOptions> {
    return {
      nodeName: "worker-1",
      certDirectory: at("pki"),
      kubeconfig: at("dynamic"),
      bootstrapKubeconfig: at("bootstrap"),
      signerName: KUBELET_CLIENT_SIGNER,
      provider: createInsecureProvider(),
      rotate: true,
      clock: systemClock,
      log: await createLog({ destination: { write: (line) => void lines.push(line) } }),
      verbosity: 2,
      signal: new AbortController().signal,
      ...more,
    };
  }

  async function start(more: Partial<DaemonOptions> = {}) {
    const controller = new AbortController();
    let port: number | undefined;
    const status = { host: "127.0.0.1", port: 0, tls: false };
    const base = await options({ status, signal: controller.signal, ...more });
    const onStarted = (started: { port: number | undefined }) => {
      port = started.port;
      more.onStarted?.(started);
    };
    const daemon = { ...base, onStarted };
    const end = runNodeDaemon(daemon).catch((error: unknown) => error);
    const stop = () => {
      controller.abort();
      return end;
    };
    running.push(stop);
    const read = (path: string) =>
      new Promise<{ code: number; body: string }>((resolve, reject) => {
        get({ port, path }, async (answer) => resolve({ code: answer.statusCode ?? 0, body: await text(answer) })).on(
          "error",
          reject,
        );
      });
    await until(() => port !== undefined);
    return { stop, read, end };
  }

  async function until(probe: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < patient(500); turn++) {
      if (await probe()) return;
      await sleep(10);
    }
    expect.fail(`waited in vain; log:\n${lines.join("")}`);
  }
  const isHealthy = async ({ read }: { read(path: string): Promise<{ code: number }> }) =>
    (await read("/healthz")).code === 200;
  const pairs = () => readdirSync(at("pki")).filter((name) => /^kubelet-client-\d/.test(name));

  async function whoIs(kubeconfig: string): Promise<number> {
    const client = await loadKubeconfigClient(kubeconfig);
    try {
      return (await client.raw("GET", "/apis/certificates.k8s.io/v1/certificatesigningrequests")).status;
    } finally {
      await client.close();
    }
  }

  it("is enabled, disabled, rolled back and enabled again as the questionnaire says", async () => {
    // Off: the credentials that were provided are used, nothing is asked for and nothing is written.
    const off = await start({ rotate: false, kubeconfig: at("static"), bootstrapKubeconfig: undefined });
    await until(() => isHealthy(off));
    await off.stop();
    expect(await cluster.listRequests()).toEqual([]);
    expect(existsSync(at("pki"))).toBe(false);

    // On, with a bootstrap kubeconfig and a kubeconfig that does not exist: request, pair and kubeconfig appear.
    const on = await start();
    await until(() => existsSync(at("dynamic")));
    await until(() => isHealthy(on));
    await on.stop();
    expect(await cluster.listRequests()).toHaveLength(1);
    expect(readFileSync(at("dynamic"), "utf8")).toContain(at("pki/kubelet-client-current.pem"));
    expect(await whoIs(at("dynamic"))).toBe(200);

    // Rolled back: the static credential still works, and the directory is left as it is.
    const before = readdirSync(at("pki"));
    const back = await start({ rotate: false, kubeconfig: at("static"), bootstrapKubeconfig: undefined });
    await until(() => isHealthy(back));
    await back.stop();
    expect(await whoIs(at("static"))).toBe(200);
    expect(readdirSync(at("pki"))).toEqual(before);
    expect(await cluster.listRequests()).toHaveLength(1);

    // On again: it goes on with the pair that it kept, and rotates it.
    const again = await start();
    await until(() => isHealthy(again));
    expect(lines.join("")).toContain('"source":"store"');
    expect(await cluster.listRequests()).toHaveLength(1);
    const renewal = await renewCertificate({ ...(await options({})), onlyIfDue: false, limitMs: 10_000 });
    expect(renewal.isRenewed).toBe(true);
    expect(pairs()).toHaveLength(2);
    await again.stop();
  });

  it("renews only what is due when it is told so", async () => {
    const base = await options({});
    expect(await renewCertificate({ ...base, onlyIfDue: true, limitMs: 10_000 })).toMatchObject({ isRenewed: true });
    expect(await renewCertificate({ ...base, onlyIfDue: true, limitMs: 10_000 })).toMatchObject({ isRenewed: false });
    expect(pairs()).toHaveLength(1);
  });

  it("finds a cluster that has moved while it was off, by the ways that its join kept", async () => {
    const { api, token } = cluster;
    const method = parseDiscoveryMethod({ address: api.url, token });
    const found = await discover(method, { clock: systemClock, env: {} });
    const gone = "https://127.0.0.1:9";
    const moved = { ...found, server: gone, servers: [gone, api.url] };
    const cache = createDiscoveryCache(at("discovery.json"));
    const cached = { cluster: moved, way: wayOf(method), foundMs: 0, confirmedMs: 0 };
    await cache.locked(() => cache.save(cached), { clock: systemClock });
    writeKubeconfigFile(at("bootstrap"), { url: gone, caPem: api.caPem }, { token });
    const discovery = { cachePath: at("discovery.json"), kubeconfigs: [at("bootstrap")], env: {} };
    await start({ discovery });
    await until(() => lines.some((line) => line.includes("certificate stored")));
    expect(lines.join("")).toContain(`the cluster is at ${api.url} now`);
    expect(readFileSync(at("bootstrap"), "utf8")).toContain(api.url);
    await until(() => existsSync(at("dynamic")));
    expect(readFileSync(at("dynamic"), "utf8")).toContain(api.url);
  });

  it("takes over the pair in a kubeconfig's data and renews it at once", async () => {
    const { certPem, keyPem } = cluster.api.issueClientCertificate({
      user: "system:node:worker-1",
      groups: ["system:nodes"],
    });
    const data = (pem: string) => encodeBase64(encodeUtf8(pem));
    writeKubeconfigFile(at("inline"), cluster.api, {
      "client-certificate-data": data(certPem),
      "client-key-data": data(keyPem),
    });
    const daemon = await start({ kubeconfig: at("inline"), bootstrapKubeconfig: undefined });
    await until(async () => existsSync(at("pki")) && pairs().length === 1 && (await isHealthy(daemon)));
    expect((await cluster.listRequests()).map(({ spec }) => spec.username)).toEqual(["system:node:worker-1"]);
  });

  it("shows kubelet's numbers and its own", async () => {
    const daemon = await start();
    await until(() => isHealthy(daemon));
    await until(async () => (await daemon.read("/metrics")).body.includes('outcome="stored"'));
    const { body } = await daemon.read("/metrics");
    expect(body).toMatch(/^kubelet_certificate_manager_client_expiration_seconds \d{10}/m);
    expect(body).toMatch(/^kubelet_certificate_manager_client_ttl_seconds 3\d{3}$/m);
    expect(body).toMatch(/^kubelet_certificate_manager_client_expiration_renew_errors 0$/m);
    expect(body).toMatch(/^countersign_node_certificate_rotations_total\{purpose="client",outcome="stored"\} 1$/m);
    expect(body).toMatch(/^countersign_node_client_certificate_lifetime_seconds 7200$/m);
    expect((await daemon.read("/livez")).code).toBe(200);
    expect((await daemon.read("/else")).code).toBe(404);
  });

  it("is not healthy without a certificate, counts the errors and says why", async () => {
    cluster.decide(() => ({ kind: "deny", reason: "NoAttestation", message: "who are you" }));
    const daemon = await start();
    await until(async () => (await daemon.read("/metrics")).body.includes('outcome="denied"'));
    expect(await daemon.read("/healthz")).toEqual({
      code: 503,
      body: "[-]client certificate there is no valid one\nhealthz failed\n",
    });
    expect((await daemon.read("/metrics")).body).toMatch(/renew_errors 1$/m);
    expect(lines.join("")).toMatch(
      /"message":"certificate denied".*NoAttestation: who are you|NoAttestation: who are you.*certificate denied/,
    );
  });

  it("says diagnostics from verbosity 2 and the loops from 4", async () => {
    const levels: [number, string[]][] = [
      [1, []],
      [2, ["using"]],
      [4, ["using", "waiting"]],
    ];
    for (const [verbosity, seen] of levels) {
      lines = [];
      const daemon = await start({ verbosity });
      await until(() => isHealthy(daemon));
      if (seen.includes("waiting")) await until(() => lines.join("").includes("waiting"));
      await daemon.stop();
      const said = ["using", "waiting"].filter((word) => lines.join("").includes(`"message":"${word}`));
      expect(said).toEqual(seen);
    }
  });

  it("serves its status with the node's own serving certificate", async () => {
    const names = () => ({ dnsNames: [], ipAddresses: ["127.0.0.1"] });
    let port = 0;
    await start({
      serving: { signerName: "kubernetes.io/kubelet-serving", names },
      status: { host: "127.0.0.1", port: 0, tls: true },
      onStarted: (status) => {
        port = status.port ?? 0;
      },
    });
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const url = `https://127.0.0.1:${port}/healthz`;
        getSecurely(url, { ca: cluster.api.caPem }, async (answer) => resolve(await text(answer))).on("error", reject);
      });
    // Before there is a serving certificate, no handshake succeeds.
    await until(async () => (await ask().catch(() => "")) === "ok");
    expect(existsSync(at("pki/kubelet-server-current.pem"))).toBe(true);
  });

  it("stops, and leaves it where it is, when the certificate in the store is another node's and in force", async () => {
    await renewCertificate({ ...(await options({ nodeName: "worker-2" })), onlyIfDue: false, limitMs: 10_000 });
    const before = readdirSync(at("pki"));
    const others = await options({});
    const renewal = () => renewCertificate({ ...others, onlyIfDue: false, limitMs: 10_000 });
    for (const start of [() => runNodeDaemon(others), renewal]) {
      const end = await start().catch((error: unknown) => error);
      expect(isFault(end, "bad-config")).toBe(true);
      expect(String(end)).toMatch(/the certificate in .*pki is node worker-2's, not worker-1's/);
    }
    expect(readdirSync(at("pki"))).toEqual(before);
  });

  it("stops with a wrong configuration when there is nothing to start with", async () => {
    const end = await runNodeDaemon(await options({ bootstrapKubeconfig: undefined })).catch((error: unknown) => error);
    expect(isFault(end, "bad-config")).toBe(true);
    expect(String(end)).toMatch(/store's pair is not there.*there is no kubeconfig/);
  });

  it("ends with a retriable fault after the start limit, and keeps its key", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    const end = await runNodeDaemon(await options({ startLimitMs: 300 })).catch((error: unknown) => error);
    expect(isFault(end, "timeout") && end.retryable).toBe(true);
    expect(existsSync(at("pki/kubelet-client.key.tmp"))).toBe(true);
  });
});
