// A kubelet that runs its own control plane as static pods must start them while there is nobody to ask. Shown with the
// real kubelet, containerd and runc, whose credential comes from us: through the plugin, through the daemon's store,
// and through a plugin that has nothing to show yet. The API server is ended before the kubelet starts, and a container
// says that it runs.

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./harness/command.ts";
import {
  type ControlPlane,
  createWorkspace,
  KUBELET_CSR_CONTROLLERS,
  locateProgram,
  type OurNode,
  PAUSE_IMAGE,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurNode,
  type Workspace,
  waitFor,
  writePluginKubeconfig,
} from "./harness/index.ts";

const START_LIMIT_MS = 120_000;

describe("static pods while the API server is away", () => {
  let plane: ControlPlane;
  let workspace: Workspace;
  let bootstrapKubeconfig: string;
  let kubelet: RunningKubelet | undefined;
  let daemon: OurNode | undefined;
  const at = (...names: string[]) => join(workspace.dir, ...names);

  beforeAll(async () => {
    workspace = await createWorkspace("static-pods");
    plane = await startControlPlane({ controllers: KUBELET_CSR_CONTROLLERS });
    bootstrapKubeconfig = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
  });
  afterEach(async () => {
    await kubelet?.stop();
    await daemon?.server.stop();
    kubelet = undefined;
    daemon = undefined;
  });
  afterAll(async () => {
    await plane?.stop();
    await workspace?.remove();
  });

  async function join1(name: string): Promise<string> {
    const args = ["node", "join", "--bootstrap-kubeconfig", bootstrapKubeconfig, "--node-name", name];
    const program = [locateProgram("countersign"), ...args, "--directory", at(name)];
    const { code, stderr } = await runCommand(process.execPath, program, { limitMs: 60_000 });
    expect(code, stderr).toBe(0);
    return await writePluginKubeconfig(at(name, "kubelet-exec.kubeconfig"), at(name, "plugin.kubeconfig"));
  }

  /** Its container leaves a file on the machine. */
  async function writeStaticPod(name: string): Promise<string> {
    const [pods, proof] = [at(`${name}-pods`), at(`${name}-proof`)];
    for (const path of [pods, proof]) await mkdir(path);
    const container = { name: "main", image: PAUSE_IMAGE, imagePullPolicy: "Never", args: ["/proof/started"] };
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "static", namespace: "kube-system" },
      spec: {
        hostNetwork: true,
        containers: [{ ...container, volumeMounts: [{ name: "proof", mountPath: "/proof" }] }],
        volumes: [{ name: "proof", hostPath: { path: proof, type: "Directory" } }],
      },
    };
    await writeFile(join(pods, "static.json"), JSON.stringify(pod));
    return pods;
  }

  async function startWithoutApiServer(name: string, kubeconfig: string): Promise<void> {
    const staticPods = await writeStaticPod(name);
    process.kill(plane.serverPid(), "SIGKILL");
    kubelet = await startKubelet({ controlPlane: plane, name, kubeconfig, rotateCertificates: false, staticPods });
    await waitFor({
      what: `the container of ${name} to say that it runs`,
      limitMs: START_LIMIT_MS,
      probe: () => (existsSync(at(`${name}-proof`, "started")) ? true : undefined),
    });
    // Nobody brought it back meanwhile.
    expect((await plane.kubectl(["get", "--raw", "/readyz"])).code).not.toBe(0);
  }

  /** The mirror of the pod, which the kubelet writes with the credential that we gave it. */
  async function expectMirror(name: string): Promise<void> {
    await plane.restartApiServer();
    await waitFor({
      what: `the mirror pod of ${name}`,
      limitMs: START_LIMIT_MS,
      probe: async () => {
        const path = ["get", "pod", `static-${name}`, "-n", "kube-system", "-o", "jsonpath={.status.phase}"];
        return (await plane.kubectl(path)).stdout === "Running" ? true : undefined;
      },
    });
  }

  it("start with the credential plugin, and the node is back when the API server is", async () => {
    await startWithoutApiServer("by-plugin", await join1("by-plugin"));
    await expectMirror("by-plugin");
  });

  it("start with the pair that the daemon keeps, while the daemon itself has nobody to ask", async () => {
    const name = "by-daemon";
    const kubeconfig = at(`${name}.kubeconfig`);
    const places = { name, dir: workspace.dir, certDir: at(`${name}-pki`), kubeconfig, bootstrapKubeconfig };
    daemon = await startOurNode(places);
    await waitFor({
      what: "the first certificate",
      limitMs: START_LIMIT_MS,
      servers: [daemon.server],
      probe: () => (existsSync(kubeconfig) ? true : undefined),
    });
    await startWithoutApiServer(name, kubeconfig);
    expect(daemon.server.ending()).toBeUndefined();
    await expectMirror(name);
  });

  it("start although the plugin has no certificate and nobody to ask for one: a first boot of a control plane", async () => {
    const name = "at-first-boot";
    const plugin = [locateProgram("kubelet-authenticator-insecure"), `--node-name=${name}`, `--cert-dir=${at("none")}`];
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: [...plugin, `--bootstrap-kubeconfig=${bootstrapKubeconfig}`, "--timeout=10s"],
      interactiveMode: "Never",
      provideClusterInfo: true,
    };
    const ca = Buffer.from(plane.caPem).toString("base64");
    const kubeconfig = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
      clusters: [{ name: "c", cluster: { server: plane.url, "certificate-authority-data": ca } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
      users: [{ name: "c", user: { exec } }],
    };
    await writeFile(at("first-boot.kubeconfig"), JSON.stringify(kubeconfig), { mode: 0o600 });
    await startWithoutApiServer(name, at("first-boot.kubeconfig"));
  });
});
