// The single-file executables as a machine image would hold them: copied somewhere, no node_modules near. Each is 150
// megabytes and takes some seconds to make.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/platform/process/index.ts";
import { makeSingleFile } from "../../tools/single-file.mjs";
import { aNodeCa } from "../builders/node-ca.ts";

const INFO = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}';

describe("a single-file executable", () => {
  const directory = mkdtempSync(join(tmpdir(), "single-"));
  const made: Record<string, string> = {};
  const run = (name: string, args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(made[name] ?? "", args, { env, cwd: directory, encoding: "utf8" });

  beforeAll(async () => {
    for (const name of ["kubelet-authenticator-insecure", "countersign"]) {
      made[name] = await makeSingleFile(name, { outDir: directory });
      console.log(`${name}: ${(statSync(made[name]).size / 1e6).toFixed(1)} MB`);
    }
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("of the plugin answers with the pair on disk", () => {
    const pair = aNodeCa().issueNode({ nodeName: "worker-1" });
    mkdirSync(join(directory, "pki"), { mode: 0o700 });
    writeFileSync(join(directory, "pki", "kubelet-client-current.pem"), pair.certificatePem + pair.keyPem);
    const words = ["--node-name=worker-1", "--cert-dir=pki"];
    const { stdout, stderr } = run("kubelet-authenticator-insecure", words, { KUBERNETES_EXEC_INFO: INFO });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).status.clientKeyData).toBe(pair.keyPem);
  });

  it("of the plugin has its slow way inside: it tries to reach the server", () => {
    const cluster = { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true };
    writeFileSync(
      join(directory, "bootstrap"),
      JSON.stringify({
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user: { token: "abcdef.0123456789abcdef" } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
    const words = ["--node-name=worker-2", "--cert-dir=none", "--bootstrap-kubeconfig=bootstrap", "--timeout=1s"];
    const { status, stderr } = run("kubelet-authenticator-insecure", words, { KUBERNETES_EXEC_INFO: INFO });
    expect([status, stderr]).toEqual([78, expect.stringContaining("insecure-skip-tls-verify")]);
  });

  it("of countersign knows its version, makes tokens, and says what `up` needs", () => {
    expect(run("countersign", ["--version"]).stdout.trim()).toBe(VERSION);
    expect(run("countersign", ["token", "generate"]).stdout).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}\n$/);
    const { status, stderr } = run("countersign", ["up", "--data-dir", "data", "--port", "0"]);
    expect([status, stderr]).toEqual([65, expect.stringContaining("needs the npm installation")]);
  });
});
