// Kubelets join a real API server by their own bootstrap, and our node-attestation-controller, as it was built, is the
// one that approves and signs. kube-controller-manager does not run.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KUBELET_CLIENT_SIGNER } from "../../src/api/certificates/index.ts";
import { createInsecureProvider } from "../../src/attestation/insecure/node.ts";
import { joinNode, parseDiscoveryMethod } from "../../src/node/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import {
  type ControlPlane,
  createWorkspace,
  type OurController,
  type RunningNode,
  startControlPlane,
  startKubelet,
  startKubemark,
  startOurControllerProgram,
  type Workspace,
  writePluginKubeconfig,
} from "./harness/index.ts";

let workspace: Workspace;
let controlPlane: ControlPlane;
let controller: OurController;
let token: string;
let bootstrapKubeconfig: string;
const nodes: RunningNode[] = [];

beforeAll(async () => {
  workspace = await createWorkspace("bootstrap");
  controlPlane = await startControlPlane();
  controller = await startOurControllerProgram(controlPlane);
  token = await controlPlane.createBootstrapToken();
  bootstrapKubeconfig = await controlPlane.writeTokenKubeconfig("bootstrap", token);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await controller?.stop();
  await controlPlane?.stop();
  await workspace?.remove();
});

describe("node-attestation-controller approves and signs what kubelets ask for", () => {
  it("a hollow kubelet becomes Ready", async () => {
    const start = performance.now();
    const node = keep(await startKubemark({ controlPlane, name: "hollow-1", bootstrapKubeconfig }));
    await node.waitUntilReady();
    console.log(`hollow kubelet Ready with our controller in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    expect(await whoAmI(node)).toBe("system:node:hollow-1");
  });

  it("a real kubelet becomes Ready", async () => {
    const start = performance.now();
    const node = keep(await startKubelet({ controlPlane, name: "worker-1", bootstrapKubeconfig }));
    await node.waitUntilReady();
    console.log(`real kubelet Ready with our controller in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    expect(await whoAmI(node)).toBe("system:node:worker-1");
  });

  it("both requests are shown as approved and issued", async () => {
    const { stdout } = await controlPlane.kubectl(["get", "csr", "--no-headers"]);
    const issued = stdout
      .split("\n")
      .filter((row) => row.includes(KUBELET_CLIENT_SIGNER) && /Approved,Issued/.test(row));
    expect(issued).toHaveLength(2);
  });

  it("a real kubelet whose only credential is kubelet-authenticator-insecure becomes Ready", async () => {
    const joined = await joinNode({
      discovery: parseDiscoveryMethod({ address: `127.0.0.1:${controlPlane.port}`, token }),
      nodeName: "worker-2",
      directory: join(workspace.dir, "worker-2"),
      provider: createInsecureProvider(),
      clock: systemClock,
    });
    const kubeconfig = await writePluginKubeconfig(
      joined.execKubeconfigPath,
      join(workspace.dir, "worker-2.kubeconfig"),
    );
    // With rotation the kubelet would ask for a certificate of its own and never call the plugin again.
    const node = keep(await startKubelet({ controlPlane, name: "worker-2", kubeconfig, rotateCertificates: false }));
    await node.waitUntilReady();
    expect(await whoAmI(node)).toBe("system:node:worker-2");
  });
});

describe("the controller's rights", () => {
  it("were enough: nothing that it tried was forbidden", () => {
    expect(controller.log()).not.toMatch(/forbidden/i);
  });

  it.each([
    "create csr",
    "update csr",
    "create nodes",
    "delete nodes",
    "get secrets --namespace=default",
    "update configmaps --namespace=kube-system",
    "approve signers.certificates.k8s.io/kubernetes.io/kube-apiserver-client",
    "sign signers.certificates.k8s.io/example.com/foreign",
  ])("do not include: %s", async (what) => {
    const question = ["auth", "can-i", ...what.split(" ")];
    const { stdout } = await controlPlane.kubectl(question, { kubeconfig: controller.kubeconfigPath });
    expect(stdout.trim()).toBe("no");
  });
});

function keep<T extends RunningNode>(node: T): T {
  nodes.push(node);
  return node;
}

async function whoAmI(node: RunningNode): Promise<string> {
  const kubeconfig = node.kubeconfigPath;
  const { stdout, stderr, code } = await controlPlane.kubectl(["auth", "whoami", "-o", "json"], { kubeconfig });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).status.userInfo.username;
}
