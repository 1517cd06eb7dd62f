import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ControlPlane,
  KUBELET_CSR_CONTROLLERS,
  type RunningNode,
  startControlPlane,
  startKubemark,
} from "./harness/index.ts";

// The harness proves itself: with kube-controller-manager approving and signing, nothing of ours takes part.
describe("a hollow kubelet", () => {
  let controlPlane: ControlPlane;
  let node: RunningNode | undefined;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: KUBELET_CSR_CONTROLLERS });
  });
  afterAll(async () => {
    await node?.stop();
    await controlPlane?.stop();
  });

  it("bootstraps with a token and becomes Ready", async () => {
    const token = await controlPlane.createBootstrapToken();
    const bootstrapKubeconfig = await controlPlane.writeTokenKubeconfig("bootstrap", token);
    const start = performance.now();
    node = await startKubemark({ controlPlane, name: "hollow-1", bootstrapKubeconfig });
    await node.waitUntilReady();
    console.log(`hollow kubelet Ready in ${((performance.now() - start) / 1000).toFixed(1)} s`);

    const { stdout } = await controlPlane.kubectl(["auth", "whoami"], { kubeconfig: node.kubeconfigPath });
    expect(stdout).toContain("system:node:hollow-1");
  });
});
