import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import { KUBELET_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { INSECURE_AUTHENTICATOR } from "./authenticators.ts";
import { runAuthenticator } from "./run.ts";

const HOUR_MS = 3_600_000;
const SECRET = "0123456789abcdef";

describe("the credential plugin on a cluster", () => {
  let cluster: JoinableCluster;
  let directory = "";

  beforeEach(async () => {
    cluster = await startJoinableCluster();
    directory = mkdtempSync(join(tmpdir(), "exec-"));
    writeFileSync(bootstrapPath(), bootstrapKubeconfig(cluster.api.url), { mode: 0o600 });
  });
  afterEach(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true });
  });

  const bootstrapPath = () => join(directory, "bootstrap.kubeconfig");
  const clusterEntry = (server: string) => ({
    server,
    "certificate-authority-data": encodeBase64(encodeUtf8(cluster.api.caPem)),
  });
  const bootstrapKubeconfig = (server: string) =>
    encodeKubeconfig({
      clusters: [{ name: "c", cluster: clusterEntry(server) }],
      users: [{ name: "u", user: { token: cluster.token } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      currentContext: "x",
    });

  async function run(args: readonly string[] = [], nowMs = Date.now()) {
    const info = { interactive: false, cluster: clusterEntry(cluster.api.url) };
    const out: string[] = [];
    const err: string[] = [];
    const code = await runAuthenticator(INSECURE_AUTHENTICATOR, {
      args: ["--node-name=worker-1", `--cert-dir=${join(directory, "pki")}`, ...args],
      env: {
        KUBERNETES_EXEC_INFO: JSON.stringify({
          kind: "ExecCredential",
          apiVersion: "client.authentication.k8s.io/v1",
          spec: info,
        }),
      },
      now: () => nowMs,
      stdout: (text) => out.push(text),
      stderr: (text) => err.push(text),
    });
    expect([...out, ...err].join("")).not.toContain(SECRET);
    return {
      code,
      stdout: out.join(""),
      stderr: err.join(""),
      status: out[0] === undefined ? undefined : JSON.parse(out[0]).status,
    };
  }
  const bootstrap = () => `--bootstrap-kubeconfig=${bootstrapPath()}`;

  it("asks for a first certificate with the bootstrap kubeconfig, then answers from disk", async () => {
    const first = await run([bootstrap()]);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("created request countersign-single-") });
    const second = await run();
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.status.clientCertificateData).toBe(first.status.clientCertificateData);
    expect(await cluster.listRequests()).toMatchObject([{ spec: { username: "system:bootstrap:abcdef" } }]);
  });

  it("files one request when it is called many times at once", async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => run([bootstrap()])));
    expect(new Set(runs.map(({ status }) => status.clientKeyData)).size).toBe(1);
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("passes a denial on and, called again and again, files no further request", async () => {
    cluster.decide(() => ({ kind: "deny", reason: "NoAttestation", message: "attestation failed" }));
    for (let call = 0; call < 3; call++) {
      const { code, stdout, stderr } = await run([bootstrap()]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("NoAttestation: attestation failed");
    }
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("renews Kubernetes' own certificate as the node itself, with a new key", async () => {
    const signer = `--signer-name=${KUBELET_CLIENT_SIGNER}`;
    const first = await run([bootstrap(), signer]);
    // The clerk's certificates began an hour ago and last an hour from now: 96 % of the way is due for certain.
    const late = Date.now() + 0.92 * HOUR_MS;
    cluster.decide(() => ({ kind: "sign", lifetimeMs: 20 * HOUR_MS }));
    const second = await run([signer], late);
    expect(second.code).toBe(0);
    expect(second.status.clientKeyData).not.toBe(first.status.clientKeyData);
    const users = (await cluster.listRequests()).map(({ spec }) => spec.username);
    expect(users.sort()).toEqual(["system:bootstrap:abcdef", "system:node:worker-1"]);
    expect(readdirSync(join(directory, "pki")).filter((name) => /^kubelet-client-\d/.test(name))).toHaveLength(2);
  });

  it("does not renew with the provider that proves nothing: it starts over with the token when all is over", async () => {
    await run([bootstrap()]);
    await run([bootstrap()], Date.now() + 0.92 * HOUR_MS);
    expect(await cluster.listRequests()).toHaveLength(1);
    cluster.decide(() => ({ kind: "sign", lifetimeMs: 5 * HOUR_MS }));
    expect((await run([bootstrap()], Date.now() + 1.5 * HOUR_MS)).code).toBe(0);
    expect(await cluster.listRequests()).toHaveLength(2);
  });

  it("starts over with the bootstrap kubeconfig when the server refuses the certificate that it would renew with", async () => {
    const stranger = aNodeCa("another cluster").issueNode({ notBeforeMs: Date.now() - 9 * HOUR_MS });
    const path = join(directory, "pki", "kubelet-client-2026-01-01-00-00-00.pem");
    mkdirSync(join(directory, "pki"), { mode: 0o700 });
    writeFileSync(path, stranger.certificatePem + stranger.keyPem, { mode: 0o600 });
    symlinkSync(path, join(directory, "pki", "kubelet-client-current.pem"));
    const stored = new Date(Date.now() - 9 * HOUR_MS);
    utimesSync(path, stored, stored);
    const { code, stderr, status } = await run([bootstrap(), `--signer-name=${KUBELET_CLIENT_SIGNER}`]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("starting over with")]);
    expect(status.clientKeyData).not.toBe(stranger.keyPem);
  });

  it("stops with a clear word when the token is dead, and has filed nothing", async () => {
    await cluster.admin.delete(SECRETS, { namespace: "kube-system", name: "bootstrap-token-abcdef" });
    const { code, stdout, stderr } = await run([bootstrap()]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/the API server refuses the credential of .*its token has expired or was deleted/);
    expect(await cluster.listRequests()).toEqual([]);
  });

  it("does not keep a kubelet waiting for a renewal while its certificate works, and resumes the request next time", async () => {
    const signer = `--signer-name=${KUBELET_CLIENT_SIGNER}`;
    const first = await run([bootstrap(), signer]);
    const late = Date.now() + 0.92 * HOUR_MS;
    cluster.decide(() => ({ kind: "leave" }));
    const waiting = await run([signer, "--timeout=1s"], late);
    expect([waiting.code, waiting.stderr]).toEqual([
      0,
      expect.stringContaining("not renewed, the present certificate"),
    ]);
    expect(waiting.status.clientKeyData).toBe(first.status.clientKeyData);
    const pending = (await cluster.listRequests()).find(({ spec }) => spec.username === "system:node:worker-1");
    await cluster.sign(pending?.metadata.name ?? "");
    expect((await run([signer], late)).stderr).toContain(`found request ${pending?.metadata.name}`);
    expect(await cluster.listRequests()).toHaveLength(2);
  });

  it("gives up after its timeout, says what it waited for, and asks to be tried again", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    const { code, stdout, stderr } = await run([bootstrap(), "--timeout=1s"]);
    expect([code, stdout]).toEqual([75, ""]);
    expect(stderr).toMatch(/no certificate after 1 s: nobody has judged it yet/);
  });

  it("refuses a name that cannot be a node's", async () => {
    expect(await run(["--node-name=../x", bootstrap()])).toMatchObject({ code: 78, stdout: "" });
  });
});
