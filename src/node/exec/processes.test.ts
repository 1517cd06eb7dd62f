// The plugin as the processes that kubelet and kubectl start: the program as it is built, many at once, one directory.
// 200 of them on a real API server are in test/upstream/exec-plugin.test.ts.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import { bundlePlugin, pluginEntry, shippedPlugin } from "../../../tools/bundle.mjs";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COUNT = 12;
const INFO = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}';

/** Of a provider that minds no signal, and keeps the process busy. */
const HANGING = `import { runProviderAuthenticator } from "./node/exec/provider.js";
const provider = { contractVersion: 1, versions: [1], freshness: "challenge", canRenew: true, canServe: false };
const hang = () => new Promise(() => setInterval(() => undefined, 1000));
const createProvider = () => ({ ...provider, name: "hanging", providerId: hang, attest: hang });
await runProviderAuthenticator({ name: "hanging", canRenew: true, load: async () => ({ createProvider }) });
`;

describe("plugin processes", () => {
  let cluster: JoinableCluster;
  let directory = "";
  let program = "";
  let hanging = "";

  beforeAll(async () => {
    // Below the package, so that the compiled program finds its dependencies.
    const cache = join(ROOT, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    const compiled = mkdtempSync(join(cache, "plugin-"));
    execFileSync(process.execPath, [
      join(ROOT, "node_modules", "typescript", "bin", "tsc"),
      ...["-p", join(ROOT, "tsconfig.build.json"), "--outDir", compiled, "--noCheck", "--sourceMap", "false"],
    ]);
    const plugin = shippedPlugin("kubelet-authenticator-insecure", compiled);
    await bundlePlugin(plugin);
    program = plugin.outfile;
    await bundlePlugin(pluginEntry(compiled));
    hanging = join(compiled, "kubelet-authenticator-hanging.mjs");
    writeFileSync(hanging, HANGING);
    directory = mkdtempSync(join(tmpdir(), "processes-"));
    cluster = await startJoinableCluster();
    const caData = encodeBase64(encodeUtf8(cluster.api.caPem));
    const kubeconfig = encodeKubeconfig({
      clusters: [{ name: "c", cluster: { server: cluster.api.url, "certificate-authority-data": caData } }],
      users: [{ name: "u", user: { token: cluster.token } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      currentContext: "x",
    });
    writeFileSync(join(directory, "bootstrap"), kubeconfig, { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true });
    rmSync(join(program, "..", ".."), { recursive: true });
  });

  function startPlugin(path = program, ...more: readonly string[]): ChildProcess {
    const args = ["--node-name=worker-1", `--cert-dir=${join(directory, "pki")}`];
    const bootstrap = `--bootstrap-kubeconfig=${join(directory, "bootstrap")}`;
    return spawn(process.execPath, [path, ...args, bootstrap, ...more], {
      env: { KUBERNETES_EXEC_INFO: INFO },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async function finish(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map((s) => (s === null ? "" : text(s))));
    return { code: await ended, stdout: stdout ?? "", stderr: stderr ?? "" };
  }

  it("that start at once file one request and answer alike", async () => {
    const answers = await Promise.all(Array.from({ length: COUNT }, () => finish(startPlugin())));
    expect(answers.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)).toEqual([]);
    const keys = answers.map(({ stdout }) => JSON.parse(stdout).status.clientKeyData);
    expect(new Set(keys).size).toBe(1);
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("answer from disk with one document and nothing on standard error", async () => {
    const { code, stdout, stderr } = await finish(startPlugin());
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1" });
  });

  it("end in their time, whatever somebody else's provider has left open", async () => {
    const pki = `--cert-dir=${join(directory, "of-others")}`;
    const { code, stdout, stderr } = await finish(startPlugin(hanging, pki, "--timeout=1s"));
    expect([code, stdout]).toEqual([75, ""]);
    expect(stderr).toContain(
      "kubelet-authenticator-hanging: no certificate after 1 s: hanging evidence is being gathered",
    );
  });
});
