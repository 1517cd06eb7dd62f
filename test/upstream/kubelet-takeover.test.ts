// One certificate directory, two owners: a real kubelet fills it, our programs take it over, and the real kubelet takes
// it back. Each rotates on what the other has left. kube-controller-manager signs for forty seconds at a time (and five
// minutes back, so that a kubelet, which counts from notBefore, rotates within a minute).

import { readdirSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./harness/command.ts";
import {
  type CommandResult,
  type ControlPlane,
  KUBELET_CSR_CONTROLLERS,
  locateProgram,
  nodeFlags,
  type OurNode,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurNode,
  waitFor,
  waitForFreshLease,
} from "./harness/index.ts";

const LIFE = "40s";
const ROTATION_LIMIT_MS = 90_000;

let plane: ControlPlane;
let kubelet: RunningKubelet;
let bootstrapKubeconfig: string;
let ours: OurNode | undefined;

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: KUBELET_CSR_CONTROLLERS,
    controllerManagerFlags: [`--cluster-signing-duration=${LIFE}`],
  });
  bootstrapKubeconfig = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
  kubelet = await startKubelet({ controlPlane: plane, name: "worker-1", bootstrapKubeconfig });
  await kubelet.waitUntilReady();
  await kubelet.halt();
});
afterAll(async () => {
  await ours?.server.stop();
  await kubelet?.stop();
  await plane?.stop();
});

const currentTarget = () => readlinkSync(join(kubelet.certDir, "kubelet-client-current.pem"));

async function waitForSwitch(from: string, who: string): Promise<string> {
  return waitFor({
    what: `a rotation by ${who}`,
    limitMs: ROTATION_LIMIT_MS,
    probe: () => (currentTarget() === from ? undefined : currentTarget()),
  });
}

async function whoAmI(): Promise<string> {
  const { stdout, stderr } = await plane.kubectl(["auth", "whoami"], { kubeconfig: kubelet.kubeconfigPath });
  return stdout + stderr;
}

const ourOptions = () => ({
  name: "worker-1",
  dir: kubelet.certDir.replace(/\/pki$/, ""),
  certDir: kubelet.certDir,
  kubeconfig: kubelet.kubeconfigPath,
  bootstrapKubeconfig,
});

describe("a directory written by a real kubelet", () => {
  it("is taken over by countersign node renew, with the kubelet's certificate as identity", async () => {
    const before = currentTarget();
    const args = [locateProgram("countersign"), "node", "renew", "-o", "json", ...nodeFlags(ourOptions())];
    const result: CommandResult = await runCommand(process.execPath, args);
    expect(result.code, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ isRenewed: true });
    expect(currentTarget()).not.toBe(before);
    expect(basename(currentTarget())).toMatch(/^kubelet-client-[\d-]{19}(-\d+)?\.pem$/);
    expect(await whoAmI()).toContain("system:node:worker-1");
  });

  it("is kept fresh by countersign node run", async () => {
    const before = currentTarget();
    ours = await startOurNode(ourOptions());
    await waitForSwitch(before, "our daemon");
    expect(ours.server.lastLines(500)).toMatch(/"source":"store"/);
    await ours.server.stop();
    expect(await whoAmI()).toContain("system:node:worker-1");
  });

  it("goes back to the kubelet, which starts with our pair, rotates over it and renews its Lease", async () => {
    const before = currentTarget();
    await kubelet.restart();
    await waitForSwitch(before, "the kubelet");
    await kubelet.waitUntilReady();
    await waitForFreshLease(plane, "worker-1");
    expect(await whoAmI()).toContain("system:node:worker-1");
    expect(readdirSync(kubelet.certDir).filter((name) => name.includes("damaged"))).toEqual([]);
  });

  it("and once more to ours", async () => {
    await kubelet.halt();
    const before = currentTarget();
    const args = [locateProgram("countersign"), "node", "renew", ...nodeFlags(ourOptions())];
    const { code, stderr } = await runCommand(process.execPath, args);
    expect(code, stderr).toBe(0);
    expect(currentTarget()).not.toBe(before);
    expect(await whoAmI()).toContain("system:node:worker-1");
  });
});
