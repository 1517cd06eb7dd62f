// Real kubelets whose certificates come from our controller alone: kube-controller-manager does not run. Then the two
// side by side, as during a migration, while the kubelet of the first cluster lives on and rotates. test/long watches
// it for longer.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CertificateSigningRequest, isIssued, KUBELET_CLIENT_SIGNER } from "../../src/api/certificates/index.ts";
import { JOIN_POLICIES, type JoinPolicy } from "../../src/api/countersign/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { createKubeClient, type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { aCsr, forNode } from "../builders/csr.ts";
import {
  type ControlPlane,
  KUBELET_CSR_CONTROLLERS,
  type OurController,
  startControlPlane,
  startOurController,
  waitFor,
} from "./harness/index.ts";
import { applyPolicy, kubeletJourney, requestsOf } from "./journeys/kubelet.ts";

const kubelet = kubeletJourney();

describe("a real kubelet with our controller alone", kubelet.joinsAndServes);

describe("our controller and kube-controller-manager side by side", () => {
  let plane: ControlPlane;
  let admin: KubeClient;
  let joining: KubeClient;
  let controller: OurController;
  const names = Array.from({ length: 60 }, (_, at) => `side-${at}`);

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: KUBELET_CSR_CONTROLLERS, keyAlgorithm: "ECDSA-P256" });
    admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    // A policy for machines that do not exist: it changes nothing here, and has a status.
    await applyPolicy(plane, admin, { mode: "Enforce", nodeNames: "attested-.*" }, "attested");
    controller = await startOurController(plane);
    const token = await plane.createBootstrapToken();
    joining = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => ({ token }) });
  });
  afterAll(async () => {
    await controller?.stop();
    await joining?.close();
    await admin?.close();
    await plane?.stop();
  });

  it("decide each request once, sign it once, and come to rest", async () => {
    await Promise.all(names.map((name) => joining.create(CSRS, requestFor(name))));
    const issued = await waitFor({
      what: "all to be issued",
      limitMs: 60_000,
      everyMs: 250,
      probe: async () => {
        const requests = await requestsOf(admin, KUBELET_CLIENT_SIGNER);
        return requests.length === names.length && requests.every(isIssued) ? requests : undefined;
      },
    });
    for (const { metadata, status } of issued) {
      expect(status?.conditions, metadata.name).toMatchObject([{ type: "Approved", reason: "AutoApproved" }]);
    }
    const versions = new Map(issued.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await pause(2_000);
    const before = await conflicts(admin);
    await pause(5_000);
    for (const { metadata } of await requestsOf(admin, KUBELET_CLIENT_SIGNER)) {
      expect(metadata.resourceVersion, metadata.name).toBe(versions.get(metadata.name));
    }
    // Each may lose a race or two for a request, and then leaves it. A loop would add hundreds.
    expect(before).toBeLessThan(names.length * 4);
    expect((await conflicts(admin)) - before).toBeLessThan(5);
  });

  it("says by which bindings kube-controller-manager approves past a policy", async () => {
    const condition = await waitFor({
      what: "the status of the policy",
      limitMs: 15_000,
      probe: async () => {
        const { status } = await admin.get<JoinPolicy>(JOIN_POLICIES, { name: "attested" });
        return status?.conditions?.find(({ type }) => type === "LockedDown");
      },
    });
    expect(condition).toMatchObject({ status: "False", reason: "LockdownMissing" });
    expect(condition.message).toContain("kubeadm:node-autoapprove-bootstrap");
    expect(condition.message).toContain("kubeadm:node-autoapprove-certificate-rotation");
    const { stdout } = await plane.kubectl(["get", "joinpolicies"]);
    expect(stdout).toMatch(/NAME\s+MODE\s+ADMIT\s+ACCEPTED\s+LOCKEDDOWN\s+AGE/);
  });
});

describe("the kubelet of the first cluster, meanwhile", () => kubelet.rotates(2));

function requestFor(nodeName: string): CertificateSigningRequest {
  const { apiVersion, kind, spec } = aCsr(forNode(nodeName));
  const { request, signerName, usages } = spec;
  return { apiVersion, kind, metadata: { name: nodeName }, spec: { request, signerName, usages } };
}

/** How often the API server has answered a write of a request with 409. */
async function conflicts(admin: KubeClient): Promise<number> {
  const { body } = await admin.raw("GET", "/metrics");
  const lines = body.toString("utf8").split("\n");
  const counted = lines.filter((line) =>
    /^apiserver_request_total\{.*code="409".*resource="certificatesigningrequests"/.test(line),
  );
  return counted.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
