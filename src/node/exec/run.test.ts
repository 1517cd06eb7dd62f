import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { ATTESTED_CLIENT_SIGNER_PREFIX } from "../../api/certificates/index.ts";
import { INSECURE_AUTHENTICATOR, TPM_AUTHENTICATOR } from "./authenticators.ts";
import { runAuthenticator } from "./run.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.now();
const ca = aNodeCa("cluster-ca", nowMs);
const INFO = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}\n';

describe("the credential plugin", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "exec-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function store(template: Parameters<typeof ca.issueNode>[0]) {
    const pair = ca.issueNode(template);
    const path = join(directory, "kubelet-client-current.pem");
    writeFileSync(path, pair.certificatePem + pair.keyPem, { mode: 0o600 });
    // As if it had been stored when it began.
    const storedAt = new Date(template?.notBeforeMs ?? nowMs - HOUR_MS);
    utimesSync(path, storedAt, storedAt);
    return pair;
  }

  async function run(args: readonly string[] = [], env: Record<string, string> = { KUBERNETES_EXEC_INFO: INFO }) {
    let stdout = "";
    let stderr = "";
    const code = await runAuthenticator(INSECURE_AUTHENTICATOR, {
      args: ["--node-name=worker-1", `--cert-dir=${directory}`, ...args],
      env,
      now: () => nowMs,
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
    });
    return { code, stdout, stderr };
  }

  it("answers with the pair on disk, one JSON document and nothing else", async () => {
    const pair = store({ notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + 9 * HOUR_MS });
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      kind: "ExecCredential",
      apiVersion: "client.authentication.k8s.io/v1",
      status: {
        clientCertificateData: pair.certificatePem,
        clientKeyData: pair.keyPem,
        expirationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
    });
  });

  it("answers in the version it was asked in", async () => {
    store({});
    const { stdout } = await run([], { KUBERNETES_EXEC_INFO: INFO.replace("/v1", "/v1beta1") });
    expect(JSON.parse(stdout).apiVersion).toBe("client.authentication.k8s.io/v1beta1");
  });

  it("says, with a provider that may not renew, that the certificate is good nearly to its end", async () => {
    store({ notAfterMs: nowMs + HOUR_MS });
    const expiry = Date.parse(JSON.parse((await run()).stdout).status.expirationTimestamp);
    expect(expiry).toBeGreaterThan(nowMs + HOUR_MS - 15_000);
    expect(expiry).toBeLessThan(nowMs + HOUR_MS);
  });

  it("says, with Kubernetes' own signer, to come back between 80 and 90 % of the lifetime", async () => {
    store({ notBeforeMs: nowMs, notAfterMs: nowMs + HOUR_MS });
    const { stdout } = await run(["--signer-name=kubernetes.io/kube-apiserver-client-kubelet"]);
    const share = (Date.parse(JSON.parse(stdout).status.expirationTimestamp) - nowMs) / HOUR_MS;
    expect(share).toBeGreaterThan(0.79);
    expect(share).toBeLessThan(0.9);
  });

  it("keeps answering, and says why, when a due renewal does not succeed", async () => {
    const pair = store({ notBeforeMs: nowMs - 95 * HOUR_MS, notAfterMs: nowMs + 5 * HOUR_MS });
    const { code, stdout, stderr } = await run(["--signer-name=kubernetes.io/kube-apiserver-client-kubelet"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).status.clientKeyData).toBe(pair.keyPem);
    expect(Date.parse(JSON.parse(stdout).status.expirationTimestamp)).toBeLessThanOrEqual(nowMs + 60_000);
    expect(stderr).toContain("not renewed, the present certificate still works");
  });

  const stops: Record<string, () => void> = {
    "there is no certificate": () => undefined,
    "the certificate is another node's and over": () => void store({ nodeName: "worker-2", notAfterMs: nowMs - 1_000 }),
    "the certificate has expired": () => void store({ notAfterMs: nowMs - 1_000 }),
    "the file is damaged": () => writeFileSync(join(directory, "kubelet-client-current.pem"), "nothing"),
  };
  for (const [sentence, prepare] of Object.entries(stops)) {
    it(`stops with a clear word, and an empty stdout, when ${sentence} and there is no bootstrap kubeconfig`, async () => {
      prepare();
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).toEqual([78, ""]);
      expect(stderr).toMatch(
        /^kubelet-authenticator-insecure: the certificate of node worker-1 .*--bootstrap-kubeconfig/,
      );
    });
  }

  it("neither presents nor touches a certificate in force that is another node's, whatever it could ask with", async () => {
    const { certificatePem, keyPem } = store({ nodeName: "worker-2", notAfterMs: nowMs + HOUR_MS });
    const { code, stdout, stderr } = await run(["--bootstrap-kubeconfig=/nowhere"]);
    expect([code, stdout]).toEqual([78, ""]);
    expect(stderr).toContain(`the certificate in ${directory} is node worker-2's, not worker-1's, and good until 2`);
    expect(stderr).toContain("; give the --node-name it has, or another directory");
    expect(readdirSync(directory)).toEqual(["kubelet-client-current.pem"]);
    expect(readFileSync(join(directory, "kubelet-client-current.pem"), "utf8")).toBe(certificatePem + keyPem);
  });

  it("explains how it is called when a person runs it", async () => {
    const { code, stdout, stderr } = await run([], {});
    expect([code, stdout]).toEqual([78, ""]);
    expect(stderr).toContain("KUBERNETES_EXEC_INFO is not set");
  });

  it("prints its help and the package's version", async () => {
    expect((await run(["--help"])).stdout).toContain("--bootstrap-kubeconfig");
    expect((await run(["--version"])).stdout).toMatch(/^kubelet-authenticator-insecure \d+\.\d+\.\d+\n$/);
  });

  it.each([INSECURE_AUTHENTICATOR, TPM_AUTHENTICATOR])(
    "$program knows of its provider what the provider says of itself",
    async (authenticator) => {
      const provider = await authenticator.loadProvider(new Map());
      expect(provider.canRenew).toBe(authenticator.canRenew);
      expect(authenticator.program).toBe(`kubelet-authenticator-${provider.name}`);
      expect(authenticator.signerName).toBe(`${ATTESTED_CLIENT_SIGNER_PREFIX}${provider.name}`);
    },
  );
});
