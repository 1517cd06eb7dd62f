// The plugin with a sealed key; with a real TPM and a real exchange: test/journeys/sealed-keys.test.ts.

import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn, type SealingMachine } from "../../../test/builders/key-seal.ts";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { createTpmProvider } from "../../attestation/tpm/node.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createCertificateStore } from "../certificates/index.ts";
import { TPM_AUTHENTICATOR } from "./authenticators.ts";
import { runAuthenticator } from "./run.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.now();
const ca = aNodeCa("cluster-ca", nowMs);
const INFO = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}\n';

describe("the credential plugin over a sealed key", () => {
  let directory = "";
  let machine: SealingMachine;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "exec-sealed-"));
    machine = aSealingMachine();
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  async function store(template: Parameters<typeof ca.issueNode>[0] = {}) {
    const pair = ca.issueNode(template);
    const sealing = createCertificateStore({ directory, clock: systemClock, keySeal: machine, sealKeys: true });
    await sealing.save(pair.certificatePem, pair.keyPem);
    const storedAt = new Date(template?.notBeforeMs ?? nowMs - HOUR_MS);
    utimesSync(sealing.layout.currentPath, storedAt, storedAt);
    return pair;
  }

  async function run(keySeal = machine) {
    let [stdout, stderr] = ["", ""];
    const authenticator = { ...TPM_AUTHENTICATOR, loadProvider: async () => ({ ...createTpmProvider(), keySeal }) };
    const code = await runAuthenticator(authenticator, {
      args: ["--node-name=worker-1", `--cert-dir=${directory}`, "--seal-key"],
      env: { KUBERNETES_EXEC_INFO: INFO },
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
  const files = () => readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "utf8")]);

  it("answers with the key, and leaves it shut on the disk", async () => {
    const pair = await store();
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).status).toMatchObject({
      clientCertificateData: pair.certificatePem,
      clientKeyData: pair.keyPem,
    });
    expect(plainKeysIn(directory, [pair.keyPem])).toEqual([]);
  });

  it("tells client-go the same time as for a plain key", async () => {
    await store({ notBeforeMs: nowMs, notAfterMs: nowMs + HOUR_MS });
    const share = (Date.parse(JSON.parse((await run()).stdout).status.expirationTimestamp) - nowMs) / HOUR_MS;
    expect([share > 0.79, share < 0.9]).toEqual([true, true]);
  });

  const TROUBLES: Record<string, [Fault, number, string]> = {
    "is silent": [new Fault("timeout", "no answer from TPM", { detail: { todo: "run it again" } }), 75, "run it again"],
    "is locked out": [new Fault("unavailable", "TPM is locked out"), 75, "locked out"],
    "is not there": [new Fault("not-found", "this machine's TPM cannot be used"), 1, "TPM cannot be used"],
  };
  it.each(Object.entries(TROUBLES))(
    "ends with a code of its own where the TPM %s, and changes nothing",
    async (_, trouble) => {
      const [fault, code, words] = trouble;
      await store();
      const before = files();
      machine.trouble = fault;
      expect(await run()).toEqual({ code, stdout: "", stderr: expect.stringContaining(words) });
      expect(files()).toEqual(before);
      machine.trouble = undefined;
      expect((await run()).code).toBe(0);
    },
  );

  it("says that another TPM sealed it, with an empty stdout, also when it would renew", async () => {
    const foreign = { detail: { todo: "join again with a live token" } };
    for (const notBeforeMs of [nowMs - HOUR_MS, nowMs - 100 * HOUR_MS]) {
      await store({ notBeforeMs, notAfterMs: nowMs + 5 * HOUR_MS });
      const thief = aSealingMachine();
      thief.trouble = new Fault("untrusted", "this key was sealed by another TPM", foreign);
      const before = files();
      const { code, stdout, stderr } = await run(thief);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/: this key was sealed by another TPM; join again with a live token\n$/);
      expect(stderr).not.toContain("still works");
      expect(files()).toEqual(before);
    }
  });

  it("does not ask the TPM about a certificate that is over", async () => {
    await store({ notAfterMs: nowMs - 1_000 });
    machine.trouble = new Fault("timeout", "no answer from TPM");
    expect(await run()).toMatchObject({ code: 78, stderr: expect.stringContaining("has expired") });
  });
});
