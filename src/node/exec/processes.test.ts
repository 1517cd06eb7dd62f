// The plugin as the processes that kubelet and kubectl start: the compiled program, many at once, one directory.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const INFO = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}';

describe("plugin processes", () => {
  let cluster: JoinableCluster;
  let directory = "";
  let program = "";

  beforeAll(async () => {
    // Below the package, so that the compiled program finds its dependencies.
    const cache = join(ROOT, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    const compiled = mkdtempSync(join(cache, "plugin-"));
    execFileSync(process.execPath, [
      join(ROOT, "node_modules", "typescript", "bin", "tsc"),
      ...["-p", join(ROOT, "tsconfig.build.json"), "--outDir", compiled, "--noCheck", "--sourceMap", "false"],
    ]);
    program = join(compiled, "bin", "kubelet-authenticator-insecure.js");
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

  function startPlugin(): ChildProcess {
    const args = ["--node-name=worker-1", `--cert-dir=${join(directory, "pki")}`];
    const bootstrap = `--bootstrap-kubeconfig=${join(directory, "bootstrap")}`;
    return spawn(process.execPath, [program, ...args, bootstrap], {
      env: { KUBERNETES_EXEC_INFO: INFO },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async function finish(child: ChildProcess): Promise<{ code: number | null; stdout: string }> {
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const stdout = child.stdout === null ? "" : await text(child.stdout);
    return { code: await ended, stdout };
  }

  it("that start at once file one request and answer alike", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => finish(startPlugin())));
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    const keys = answers.map(({ stdout }) => JSON.parse(stdout).status.clientKeyData);
    expect(new Set(keys).size).toBe(1);
    expect(await cluster.listRequests()).toHaveLength(1);
  });
});
