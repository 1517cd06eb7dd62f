import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locateBinary, readModule } from "./assets/binaries.mjs";
import { type ControlPlane, getAnonymously, startControlPlane } from "./harness/index.ts";

describe("the real control plane", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    const start = performance.now();
    controlPlane = await startControlPlane();
    console.log(`control plane ready in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  });
  afterAll(() => controlPlane?.stop());

  it("is the version that the module names", async () => {
    const { stdout, code } = await controlPlane.kubectl(["version", "--output=json"]);
    expect(code).toBe(0);
    // $KUBEBUILDER_ASSETS may hold another one.
    const isOurs = locateBinary("kube-apiserver").from === "cache";
    const gitVersion = isOurs ? readModule().kubernetesVersion : expect.stringMatching(/^v1\./);
    expect(JSON.parse(stdout)).toMatchObject({ serverVersion: { gitVersion } });
  });

  it("knows kubeadm's administrator", async () => {
    const { stdout } = await controlPlane.kubectl(["auth", "can-i", "*", "*"]);
    expect(stdout.trim()).toBe("yes");
  });

  it("authenticates a bootstrap token and lets it do what a joining node must do, and no more", async () => {
    const token = await controlPlane.createBootstrapToken();
    const kubeconfig = await controlPlane.writeTokenKubeconfig("joining", token);
    const may = async (...what: string[]) =>
      (await controlPlane.kubectl(["auth", "can-i", ...what], { kubeconfig })).stdout.trim();
    expect(await may("create", "csr")).toBe("yes");
    expect(await may("get", "nodes/some-node")).toBe("yes");
    expect(await may("create", "nodes")).toBe("no");
  });

  it("publishes the cluster's address and CA to anybody in cluster-info", async () => {
    const path = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
    const { status, body } = await getAnonymously(controlPlane.url + path, { ca: controlPlane.caPem });
    expect(status).toBe(200);
    expect(body).toContain(controlPlane.url);
  });

  it("keeps its objects over a restart of the API server", async () => {
    await controlPlane.kubectl(["create", "namespace", "kept"]);
    await controlPlane.restartApiServer();
    const { stdout } = await controlPlane.kubectl(["get", "namespace", "kept", "-o", "name"]);
    expect(stdout.trim()).toBe("namespace/kept");
  });

  it("runs no controller that was not asked for", async () => {
    expect(await readdir(controlPlane.dir)).not.toContain("kube-controller-manager.log");
  });
});

describe("the harness", () => {
  it("names the reason when a server does not start, and leaves nothing behind", async () => {
    const failure: Error = await startControlPlane({ apiServerFlags: ["--no-such-flag"] }).then(
      () => expect.unreachable("started with an unknown flag"),
      (error) => error,
    );
    expect(failure.message).toMatch(/kube-apiserver ended with exit code 1 .*unknown flag: --no-such-flag/s);
    const [, dir = ""] = /last lines of (\S+)\/kube-apiserver\.log/.exec(failure.message) ?? [];
    expect(dir).toContain("countersign-cluster-");
    expect(existsSync(dir)).toBe(false);
  });

  it("ends processes and removes paths of a run that died", async () => {
    const orphan = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    const path = await mkdtemp(join(tmpdir(), "countersign-reaped-"));
    const script = fileURLToPath(new URL("./harness/reaper.mjs", import.meta.url));
    const reaper = spawn(process.execPath, [script], { stdio: ["pipe", "ignore", "inherit"] });
    reaper.stdin.end(`${JSON.stringify({ group: orphan.pid })}\n${JSON.stringify({ path })}\n`);
    await Promise.all([once(reaper, "exit"), once(orphan, "exit")]);
    expect(orphan.signalCode).toBe("SIGKILL");
    expect(existsSync(path)).toBe(false);
  });
});
