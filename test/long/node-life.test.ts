// Two minutes in the life of nodes on the embedded control plane: a worker that joined with kubeadm and a hollow one.
// Ready alone proves little, a node that died a moment ago shows it too: Leases must be renewed and status must go on
// being told.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureAssets } from "../upstream/assets/build.mjs";
import {
  type ControlPlane,
  type JoinedWorker,
  joinWithKubeadm,
  type RunningNode,
  startEmbedded,
  startKubemark,
  uploadKubeadmConfig,
  waitForFreshLease,
} from "../upstream/harness/index.ts";

const WATCHED_MS = 120_000;
const LOOK_EVERY_MS = 4_000;
/** Of the twelve that ten seconds each allow for, and of the 24 status reports of five seconds each. */
const LEAST_RENEWALS = 10;
const LEAST_REPORTS = 15;

let plane: ControlPlane;
let worker: JoinedWorker;
let hollow: RunningNode;

beforeAll(async () => {
  await ensureAssets();
  plane = await startEmbedded();
  await uploadKubeadmConfig(plane);
  const token = await plane.createBootstrapToken();
  worker = await joinWithKubeadm(plane, { name: "worker-1", token });
  const bootstrapKubeconfig = await plane.writeTokenKubeconfig("hollow", token);
  hollow = await startKubemark({ controlPlane: plane, name: "hollow-1", bootstrapKubeconfig });
  await Promise.all([worker.waitUntilReady(), hollow.waitUntilReady()]);
  await Promise.all([worker, hollow].map(({ name }) => waitForFreshLease(plane, name)));
}, 180_000);
afterAll(async () => {
  await hollow?.stop();
  await worker?.stop();
  await plane?.stop();
});

async function read(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await plane.kubectl(["get", ...args]);
  expect(code, stderr).toBe(0);
  return stdout;
}

const renewalOf = (node: string) => read("lease", node, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}");
const readyOf = (node: string, field: string) =>
  read("node", node, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].${field}}`);

describe("nodes on the embedded control plane", () => {
  it("renew their Leases and tell their status for two minutes, and stay Ready", async () => {
    const renewals = { "worker-1": new Set<string>(), "hollow-1": new Set<string>() };
    const reports = new Set<string>();
    for (const end = Date.now() + WATCHED_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
      for (const [node, seen] of Object.entries(renewals)) {
        seen.add(await renewalOf(node));
        expect(await readyOf(node, "status")).toBe("True");
      }
      reports.add(await readyOf("worker-1", "lastHeartbeatTime"));
    }
    console.log(
      `in ${WATCHED_MS / 1000} s: ${renewals["worker-1"].size} and ${renewals["hollow-1"].size} renewals, ${reports.size} reports`,
    );
    for (const seen of Object.values(renewals)) expect(seen.size).toBeGreaterThanOrEqual(LEAST_RENEWALS);
    expect(reports.size).toBeGreaterThanOrEqual(LEAST_REPORTS);
    expect(worker.log()).not.toMatch(/forbidden|Unauthorized/i);
  });
});
