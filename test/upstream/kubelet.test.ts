import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ControlPlane,
  KUBELET_CSR_CONTROLLERS,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  subjectServedOn,
  waitFor,
} from "./harness/index.ts";

// The harness proves itself: with kube-controller-manager approving and signing, nothing of ours takes part.
describe("a real kubelet", () => {
  let controlPlane: ControlPlane;
  let bootstrapKubeconfig: string;
  const kubelets: RunningKubelet[] = [];

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: KUBELET_CSR_CONTROLLERS });
    bootstrapKubeconfig = await controlPlane.writeTokenKubeconfig(
      "bootstrap",
      await controlPlane.createBootstrapToken(),
    );
  });
  afterAll(async () => {
    await Promise.all(kubelets.map((kubelet) => kubelet.stop()));
    await controlPlane?.stop();
  });

  it("bootstraps with a token and becomes Ready", async () => {
    const start = performance.now();
    const kubelet = await startKubelet({ controlPlane, name: "worker-1", bootstrapKubeconfig });
    kubelets.push(kubelet);
    await kubelet.waitUntilReady();
    console.log(`real kubelet Ready in ${((performance.now() - start) / 1000).toFixed(1)} s`);

    const { stdout } = await controlPlane.kubectl(["auth", "whoami"], { kubeconfig: kubelet.kubeconfigPath });
    expect(stdout).toContain("system:node:worker-1");
  });

  it("asks for a serving certificate when told to, and serves with it once a person approved", async () => {
    const name = "worker-2";
    const kubelet = await startKubelet({ controlPlane, name, bootstrapKubeconfig, serverTlsBootstrap: true });
    kubelets.push(kubelet);
    await kubelet.waitUntilReady();
    const request = await waitFor({
      what: "a serving CSR",
      limitMs: 30_000,
      probe: () => findServingRequest(controlPlane, name),
    });
    expect((await controlPlane.kubectl(["certificate", "approve", request])).code).toBe(0);
    const subject = await waitFor({
      what: "the kubelet to serve with a certificate of the cluster's CA",
      limitMs: 30_000,
      probe: () => subjectServedOn(kubelet.port, controlPlane.caPem),
    });
    expect(subject).toBe(`system:node:${name}`);
  });
});

async function findServingRequest(controlPlane: ControlPlane, node: string): Promise<string | undefined> {
  const columns = "custom-columns=NAME:.metadata.name,USER:.spec.username,SIGNER:.spec.signerName";
  const { stdout } = await controlPlane.kubectl(["get", "csr", "--no-headers", "-o", columns]);
  const rows = stdout.split("\n").map((line) => line.split(/\s+/));
  return rows.find(
    ([, user, signer]) => user === `system:node:${node}` && signer === "kubernetes.io/kubelet-serving",
  )?.[0];
}
