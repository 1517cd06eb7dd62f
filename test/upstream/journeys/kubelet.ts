// A real kubelet whose certificates come from our controller alone: kube-controller-manager does not run. It joins with
// a token, serves with a certificate of the cluster's CA, and rotates.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  isIssued,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  VERDICT_ANNOTATION,
} from "../../../src/api/certificates/index.ts";
import { JOIN_POLICIES, type JoinPolicy } from "../../../src/api/countersign/index.ts";
import type { JoinPolicySpec } from "../../../src/api/countersign/join-policy.ts";
import { CSRS } from "../../../src/api/meta/index.ts";
import { parseVerdict } from "../../../src/controller/index.ts";
import { encodeHex, parseBase64, parseUtf8 } from "../../../src/kernel/bytes/index.ts";
import { sha256 } from "../../../src/kernel/crypto/index.ts";
import { parsePem } from "../../../src/kernel/pem/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../../src/platform/kube/index.ts";
import {
  type ControlPlane,
  manifestPath,
  type OurController,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurController,
  subjectServedOn,
  waitFor,
} from "../harness/index.ts";
import { expectVersions } from "./versions.ts";

const NAME = "worker-1";

/** The tests of one kubelet, in two parts: between them a suite may do something else while certificates grow old. */
export interface KubeletJourney {
  joinsAndServes(): void;
  /**
   * With so many certificates one after the other. A kubelet may ask twice with one before its connections have the
   * next.
   */
  rotates(credentials: number): void;
}

/**
 * A kubelet renews when 70 to 90 % of a certificate's life are over, and five minutes of it are over at its birth: this
 * one is renewed at once or within 38 seconds, and is valid for as long again.
 */
const LIFE_MS = 75_000;

/** To be called inside `describe`. */
export function kubeletJourney(): KubeletJourney {
  let plane: ControlPlane;
  let admin: KubeClient;
  let controller: OurController;
  let kubelet: RunningKubelet;

  beforeAll(async () => {
    plane = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
    admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    const serving = { inventory: { nodeAddresses: true } };
    await applyPolicy(plane, admin, { mode: "Enforce", signers: [KUBELET_SERVING_SIGNER], serving }, "serving");
    controller = await startOurController(plane, { lifetimeMs: LIFE_MS });
    const bootstrapKubeconfig = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
    kubelet = await startKubelet({ controlPlane: plane, name: NAME, bootstrapKubeconfig, serverTlsBootstrap: true });
  });
  afterAll(async () => {
    await kubelet?.stop();
    await controller?.stop();
    await admin?.close();
    await plane?.stop();
  });

  return {
    joinsAndServes: () => {
      it("bootstraps and becomes Ready", async () => {
        await kubelet.waitUntilReady();
        await expectVersions(plane, NAME);
        const [first] = await requestsOf(admin, KUBELET_CLIENT_SIGNER);
        expect(first?.status?.conditions).toMatchObject([{ type: "Approved", reason: "AutoApproved" }]);
      });

      it("gets a serving certificate for the addresses of its Node, and serves with it", async () => {
        expect(await waitUntilServing(plane, kubelet)).toBe(`system:node:${NAME}`);
        const issued = (await requestsOf(admin, KUBELET_SERVING_SIGNER)).filter(isIssued);
        const verdict = parseVerdict(issued[0]?.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
        expect(verdict).toMatchObject({ verdict: "Allow", policy: "serving" });
      });
    },
    rotates: (credentials) => {
      it("rotates its client certificate, each time with one that it got before", async () => {
        const issued = await waitForRenewals(admin, credentials);
        const given = issued.map(credentialGiven);
        for (const credential of issued.flatMap(credentialOf)) expect(given).toContain(credential);
        const renewed = issued.filter((csr) => credentialOf(csr).length > 0).map(credentialGiven);
        await waitFor({
          what: "the kubelet to use a renewed one",
          limitMs: 30_000,
          probe: async () => (renewed.includes(await credentialInUse(kubelet)) ? true : undefined),
        });
        const { stdout } = await plane.kubectl(["auth", "whoami"], { kubeconfig: kubelet.kubeconfigPath });
        expect(stdout).toContain(`system:node:${NAME}`);
      });
    },
  };
}

export async function applyPolicy(
  plane: ControlPlane,
  admin: KubeClient,
  spec: JoinPolicySpec,
  name: string,
): Promise<void> {
  expect(await plane.kubectl(["apply", "-f", manifestPath("crds")])).toMatchObject({ code: 0 });
  expect(
    await plane.kubectl(["wait", "--for=condition=Established", "crd/joinpolicies.countersign.dev", "--timeout=20s"]),
  ).toMatchObject({ code: 0 });
  const policy: JoinPolicy = { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name }, spec };
  await waitFor({ what: "the policy to be taken", limitMs: 10_000, probe: () => admin.create(JOIN_POLICIES, policy) });
}

export async function requestsOf(admin: KubeClient, signerName: string): Promise<readonly CertificateSigningRequest[]> {
  const { items } = await admin.list<CertificateSigningRequest>(CSRS);
  return items.filter(({ spec }) => spec.signerName === signerName);
}

/** The common name of the certificate that the kubelet shows, once it is one of the cluster's CA. */
export function waitUntilServing(plane: ControlPlane, kubelet: RunningKubelet): Promise<string> {
  return waitFor({
    what: "the kubelet to serve with a certificate of the cluster's CA",
    limitMs: 60_000,
    everyMs: 250,
    probe: () => subjectServedOn(kubelet.port, plane.caPem),
  });
}

function waitForRenewals(admin: KubeClient, credentials: number): Promise<readonly CertificateSigningRequest[]> {
  return waitFor({
    what: `renewals with ${credentials} certificates, one after the other`,
    limitMs: 360_000,
    everyMs: 500,
    probe: async () => {
      const all = (await requestsOf(admin, KUBELET_CLIENT_SIGNER)).filter(isIssued);
      return new Set(all.flatMap(credentialOf)).size >= credentials ? all : undefined;
    },
  });
}

/** With which certificate a node asked; none for a bootstrap token. */
function credentialOf({ spec }: CertificateSigningRequest): readonly string[] {
  return spec.extra?.["authentication.kubernetes.io/credential-id"] ?? [];
}

/** As which credential the API server will know the certificate of a request. */
function credentialGiven({ status }: CertificateSigningRequest): string {
  return credentialIn(parseUtf8(parseBase64(status?.certificate ?? "")));
}

async function credentialInUse({ certDir }: RunningKubelet): Promise<string> {
  return credentialIn(await readFile(join(certDir, "kubelet-client-current.pem"), "utf8"));
}

function credentialIn(pem: string): string {
  const leaf = parsePem(pem).find(({ label }) => label === "CERTIFICATE");
  return `X509SHA256=${encodeHex(sha256(leaf?.bytes ?? new Uint8Array()))}`;
}
