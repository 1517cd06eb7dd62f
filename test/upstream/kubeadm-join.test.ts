// `kubeadm join` of a worker with the real kubelet: on a real control plane, whose controllers approve and sign, and on
// the embedded one, where everything on the other side of the wire is ours.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ControlPlane,
  type JoinedWorker,
  joinWithKubeadm,
  KUBELET_CSR_CONTROLLERS,
  type RunningNode,
  startControlPlane,
  startEmbedded,
  startKubemark,
  uploadKubeadmConfig,
  waitForFreshLease,
} from "./harness/index.ts";

const REAL_CONTROLLERS = [...KUBELET_CSR_CONTROLLERS, "bootstrap-signer-controller", "serviceaccount-controller"];

describe.each([
  ["a real control plane", () => startControlPlane({ controllers: REAL_CONTROLLERS })],
  ["the embedded control plane", startEmbedded],
])("a worker joins %s", (_name, start) => {
  let plane: ControlPlane;
  let worker: JoinedWorker | undefined;
  let hollow: RunningNode | undefined;

  beforeAll(async () => {
    plane = await start();
    await uploadKubeadmConfig(plane);
  });
  afterAll(async () => {
    await worker?.stop();
    await hollow?.stop();
    await plane?.stop();
  });

  it("kubeadm join ends with 0", async () => {
    worker = await joinWithKubeadm(plane, { name: "worker-1", token: await plane.createBootstrapToken() });
    const { code, stdout, stderr } = worker.joined;
    expect(code, `${stdout}${stderr}\n${worker.log()}`).toBe(0);
    expect(stdout).toContain("This node has joined the cluster");
  });

  it("the node becomes Ready, with a fresh Lease and an issued certificate", async () => {
    await worker?.waitUntilReady();
    await waitForFreshLease(plane, "worker-1");
    const { stdout } = await plane.kubectl(["get", "csr", "--no-headers"]);
    expect(stdout).toMatch(/kubernetes\.io\/kube-apiserver-client-kubelet\s+system:bootstrap:\w+\s.*Approved,Issued/);
  });

  it("a hollow kubelet bootstraps beside it and becomes Ready too", async () => {
    const token = await plane.createBootstrapToken();
    const bootstrapKubeconfig = await plane.writeTokenKubeconfig("hollow", token);
    hollow = await startKubemark({ controlPlane: plane, name: "hollow-1", bootstrapKubeconfig });
    await hollow.waitUntilReady();
    await waitForFreshLease(plane, "hollow-1");
  });
});
