// The plugin of an installed provider. Whatever the provider does, a kubelet whose certificate still works gets it.
import { mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { providerAuthenticator } from "./provider.ts";
import { runAuthenticator } from "./run.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.now();
const ca = aNodeCa("cluster-ca", nowMs);
const INFO = JSON.stringify({
  kind: "ExecCredential",
  apiVersion: "client.authentication.k8s.io/v1",
  spec: {
    interactive: false,
    // No server listens there: the provider is asked before the server.
    cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": encodeBase64(encodeUtf8(ca.certPem)) },
  },
});

const PROVIDER = {
  name: "acme",
  contractVersion: 1,
  versions: [1],
  freshness: "challenge",
  canRenew: true,
  canServe: false,
  providerId: async () => "acme:///1",
  attest: async () => ({}),
};
const fails = async () => {
  throw new TypeError("the platform is away");
};
const moduleOf = (members: object) => async () => ({ createProvider: () => ({ ...PROVIDER, ...members }) });

describe("the plugin of somebody else's provider", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "exec-provider-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Due for renewal, and good for five hours more. */
  function storeDuePair() {
    const notBeforeMs = nowMs - 95 * HOUR_MS;
    const pair = ca.issueNode({ notBeforeMs, notAfterMs: nowMs + 5 * HOUR_MS });
    const path = join(directory, "kubelet-client-2026-01-01-00-00-00.pem");
    writeFileSync(path, pair.certificatePem + pair.keyPem, { mode: 0o600 });
    symlinkSync(path, join(directory, "kubelet-client-current.pem"));
    utimesSync(path, new Date(notBeforeMs), new Date(notBeforeMs));
    return pair;
  }

  async function run(load: () => Promise<unknown>, ...args: readonly string[]) {
    const written = { stdout: "", stderr: "" };
    const code = await runAuthenticator(providerAuthenticator({ name: "acme", canRenew: true, load }), {
      args: ["--node-name=worker-1", `--cert-dir=${directory}`, ...args],
      env: { KUBERNETES_EXEC_INFO: INFO },
      now: () => nowMs,
      stdout: (text) => {
        written.stdout += text;
      },
      stderr: (text) => {
        written.stderr += text;
      },
    });
    return { code, ...written };
  }

  const never = () => new Promise<never>(() => undefined);
  const AWAY = "provider acme cannot prove this machine: the platform is away";
  const BROKEN: Readonly<Record<string, [load: () => Promise<unknown>, words: string]>> = {
    "cannot be loaded": [fails, "kubelet-authenticator-acme cannot be loaded: the platform is away"],
    "refuses its settings": [async () => ({ createProvider: fails }), "refuses its settings: the platform is away"],
    "is none": [async () => ({ createProvider: () => 7 }), "returned number, expected an object"],
    "throws when it is asked for its machine": [moduleOf({ providerId: fails }), AWAY],
    "throws at a hello": [moduleOf({ hello: fails }), AWAY],
    "throws at a proof in one": [moduleOf({ freshness: "time-limited", attest: fails }), AWAY],
    "hangs in an exchange": [moduleOf({ hello: never }), "no certificate after 1 s: acme evidence is being gathered"],
    "hangs in a proof in one": [
      moduleOf({ freshness: "time-limited", attest: never }),
      "no certificate after 1 s: acme evidence is being gathered",
    ],
    "answers with nothing": [moduleOf({ hello: async () => "" }), "evidence of provider acme must be an object"],
  };
  it.each(Object.entries(BROKEN))("that %s: presents what still works, and says why", async (_, [load, words]) => {
    const pair = storeDuePair();
    const { code, stdout, stderr } = await run(load, "--timeout=1s");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).status).toMatchObject({
      clientCertificateData: pair.certificatePem,
      clientKeyData: pair.keyPem,
    });
    expect(stderr).toContain("kubelet-authenticator-acme: not renewed, the present certificate still works: ");
    expect(stderr).toContain(words);
  });

  it("is not loaded while the certificate has time", async () => {
    const pair = ca.issueNode({ notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + 9 * HOUR_MS });
    writeFileSync(join(directory, "kubelet-client-current.pem"), pair.certificatePem + pair.keyPem, { mode: 0o600 });
    expect(await run(fails)).toMatchObject({ code: 0, stderr: "" });
  });
});
