// A real kubelet on three-minute certificates, client and serving, that come from our controller alone: five rotations
// of each, one after the other, and a node that is Ready and renews its Lease at every look. Some eight minutes;
// test/upstream shows the first two of them.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  isIssued,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
} from "../../src/api/certificates/index.ts";
import { JOIN_POLICIES, type JoinPolicy } from "../../src/api/countersign/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { ensureAssets } from "../upstream/assets/build.mjs";
import {
  type ControlPlane,
  type OurController,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurController,
  waitFor,
  waitForFreshLease,
} from "../upstream/harness/index.ts";

const LIFE_MS = 180_000;
const ROTATIONS = 5;
const LIMIT_MS = 1_200_000;
const LOOK_EVERY_MS = 5_000;
const CRDS = new URL("../../deploy/crds", import.meta.url).pathname;

let plane: ControlPlane;
let admin: KubeClient;
let controller: OurController;
let kubelet: RunningKubelet;

beforeAll(async () => {
  await ensureAssets();
  plane = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
  admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
  expect(await plane.kubectl(["apply", "-f", CRDS])).toMatchObject({ code: 0 });
  const serving: JoinPolicy = {
    apiVersion: "countersign.dev/v1alpha1",
    kind: "JoinPolicy",
    metadata: { name: "serving" },
    spec: { mode: "Enforce", signers: [KUBELET_SERVING_SIGNER], serving: { inventory: { nodeAddresses: true } } },
  };
  await waitFor({ what: "the policy to be taken", limitMs: 30_000, probe: () => admin.create(JOIN_POLICIES, serving) });
  controller = await startOurController(plane, { lifetimeMs: LIFE_MS });
  const bootstrapKubeconfig = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
  kubelet = await startKubelet({
    controlPlane: plane,
    name: "worker-1",
    bootstrapKubeconfig,
    serverTlsBootstrap: true,
  });
  await kubelet.waitUntilReady();
  await waitForFreshLease(plane, kubelet.name);
}, 180_000);
afterAll(async () => {
  await kubelet?.stop();
  await controller?.stop();
  await admin?.close();
  await plane?.stop();
});

async function issuedFor(signerName: string): Promise<readonly CertificateSigningRequest[]> {
  const { items } = await admin.list<CertificateSigningRequest>(CSRS);
  return items.filter((csr) => csr.spec.signerName === signerName && isIssued(csr));
}

/** The certificates with which a node asked for its next one: each rotation has another. */
function rotationsIn(issued: readonly CertificateSigningRequest[]): number {
  const credentials = issued.flatMap(({ spec }) => spec.extra?.["authentication.kubernetes.io/credential-id"] ?? []);
  return new Set(credentials).size;
}

/**
 * Ready alone proves little: a kubelet that died shows it too. Its Lease is renewed every ten seconds as long as it
 * may.
 */
const LEASE_MAX_AGE_MS = 60_000;

async function isAlive(): Promise<boolean> {
  const ready = '-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}';
  const isReady = (await plane.kubectl(["get", "node", "worker-1", ready])).stdout === "True";
  const renewed = ["get", "lease", "worker-1", "-n", "kube-node-lease", "-o=jsonpath={.spec.renewTime}"];
  const renewedMs = Date.parse((await plane.kubectl(renewed)).stdout);
  return isReady && Date.now() - renewedMs < LEASE_MAX_AGE_MS;
}

it("rotates both certificates five times and stays alive", async () => {
  const untilMs = Date.now() + LIMIT_MS;
  const seen = { client: 0, serving: 0, looks: 0 };
  while (Math.min(seen.client, seen.serving) < ROTATIONS) {
    expect(Date.now(), JSON.stringify(seen)).toBeLessThan(untilMs);
    await sleep(LOOK_EVERY_MS);
    expect(await isAlive(), JSON.stringify(seen)).toBe(true);
    seen.client = rotationsIn(await issuedFor(KUBELET_CLIENT_SIGNER));
    // The first is no rotation. The client's first was asked for with a token, which has no such id.
    seen.serving = Math.max(0, (await issuedFor(KUBELET_SERVING_SIGNER)).length - 1);
    seen.looks++;
  }
  console.log(`rotations of worker-1: ${JSON.stringify(seen)}`);
  const { stdout } = await plane.kubectl(["auth", "whoami"], { kubeconfig: kubelet.kubeconfigPath });
  expect(stdout).toContain("system:node:worker-1");
});
