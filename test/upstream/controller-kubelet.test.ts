// Real kubelets whose certificates come from our controller alone: kube-controller-manager does not run. Then the two side by
// side, as during a migration, while the kubelet of the first cluster lives on and rotates. test/long watches it for longer.

import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import { JOIN_POLICIES, type JoinPolicy, type JoinPolicySpec } from "../../src/api/countersign/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { encodeHex, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { createKubeClient, type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { aCsr, forNode } from "../builders/csr.ts";
import {
  type ControlPlane,
  KUBELET_CSR_CONTROLLERS,
  type OurController,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurController,
  subjectServedOn,
  waitFor,
} from "./harness/index.ts";

/**
 * Three minutes. A kubelet renews when 70 to 90 % of a certificate's life are over, and five minutes of it are over at its birth:
 * such a certificate is renewed after 36 to 132 seconds.
 */
const SHORT_LIFE_MS = 180_000;

const CRDS = new URL("../../deploy/crds", import.meta.url).pathname;

async function applyPolicy(plane: ControlPlane, admin: KubeClient, spec: JoinPolicySpec, name: string): Promise<void> {
  expect(await plane.kubectl(["apply", "-f", CRDS])).toMatchObject({ code: 0 });
  expect(
    await plane.kubectl(["wait", "--for=condition=Established", "crd/joinpolicies.countersign.dev", "--timeout=20s"]),
  ).toMatchObject({ code: 0 });
  const policy: JoinPolicy = { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name }, spec };
  await waitFor({ what: "the policy to be taken", limitMs: 10_000, probe: () => admin.create(JOIN_POLICIES, policy) });
}

async function requestsOf(admin: KubeClient, signerName: string): Promise<readonly CertificateSigningRequest[]> {
  const { items } = await admin.list<CertificateSigningRequest>(CSRS);
  return items.filter(({ spec }) => spec.signerName === signerName);
}

const isIssued = (csr: CertificateSigningRequest) => csr.status?.certificate !== undefined;

let plane: ControlPlane;
let admin: KubeClient;
let controller: OurController;
let kubelet: RunningKubelet;
/** Where its link to the certificate in use led when it had its first one. */
let firstInUse: string;

const inUse = () => readlink(join(kubelet.certDir, "kubelet-client-current.pem"));

beforeAll(async () => {
  plane = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
  admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
  const inventory = { nodeAddresses: true };
  await applyPolicy(
    plane,
    admin,
    { mode: "Enforce", signers: [KUBELET_SERVING_SIGNER], serving: { inventory } },
    "serving",
  );
  controller = await startOurController(plane, { lifetimeMs: SHORT_LIFE_MS });
  const bootstrapKubeconfig = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
  kubelet = await startKubelet({
    controlPlane: plane,
    name: "worker-1",
    bootstrapKubeconfig,
    serverTlsBootstrap: true,
  });
});
afterAll(async () => {
  await kubelet?.stop();
  await controller?.stop();
  await admin?.close();
  await plane?.stop();
});

describe("a real kubelet with our controller alone", () => {
  it("bootstraps and becomes Ready", async () => {
    await kubelet.waitUntilReady();
    firstInUse = await inUse();
    const [first] = await requestsOf(admin, KUBELET_CLIENT_SIGNER);
    expect(first?.status?.conditions).toMatchObject([{ type: "Approved", reason: "AutoApproved" }]);
  });

  it("gets a serving certificate for the addresses of its Node, and serves with it", async () => {
    const subject = await waitFor({
      what: "the kubelet to serve with a certificate of the cluster's CA",
      limitMs: 60_000,
      everyMs: 250,
      probe: () => subjectServedOn(kubelet.port, plane.caPem),
    });
    expect(subject).toBe("system:node:worker-1");
    const issued = (await requestsOf(admin, KUBELET_SERVING_SIGNER)).filter(isIssued);
    expect(verdictOf(issued[0])).toMatchObject({ verdict: "Allow", policy: "serving" });
  });
});

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

describe("the kubelet of the first cluster, meanwhile", () => {
  it("rotates its client certificate several times, each with one that it got before", async () => {
    const issued = await waitFor({
      what: "renewals with two certificates, one after the other",
      limitMs: 360_000,
      everyMs: 500,
      probe: async () => {
        const all = (await requestsOf(admin, KUBELET_CLIENT_SIGNER)).filter(isIssued);
        return new Set(all.flatMap(credentialOf)).size >= 2 ? all : undefined;
      },
    });
    const given = issued.map((csr) => `X509SHA256=${sha256Of(csr)}`);
    for (const credential of issued.flatMap(credentialOf)) expect(given).toContain(credential);
    expect(issued.filter((csr) => credentialOf(csr).length > 0).length).toBeGreaterThanOrEqual(2);
    await waitFor({
      what: "the kubelet to use a new one",
      limitMs: 30_000,
      probe: async () => ((await inUse()) === firstInUse ? undefined : true),
    });
    const { stdout } = await plane.kubectl(["auth", "whoami"], { kubeconfig: kubelet.kubeconfigPath });
    expect(stdout).toContain("system:node:worker-1");
  }, 400_000);
});

/** With which certificate a node asked; none for a bootstrap token. */
function credentialOf({ spec }: CertificateSigningRequest): readonly string[] {
  return spec.extra?.["authentication.kubernetes.io/credential-id"] ?? [];
}

function sha256Of({ status }: CertificateSigningRequest): string {
  const [leaf] = parsePem(parseUtf8(parseBase64(status?.certificate ?? "")));
  return encodeHex(sha256(leaf?.bytes ?? new Uint8Array()));
}

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

function verdictOf(csr: CertificateSigningRequest | undefined) {
  return parseVerdict(csr?.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
}
