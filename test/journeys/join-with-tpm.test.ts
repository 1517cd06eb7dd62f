// A join with a TPM on the embedded control plane: the operator enrols a machine by its endorsement key, the machine
// proves that it is it, renews with fresh proof, gets its serving certificate; and then its attackers, each with the
// same live token.

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import type { ConfigMap } from "../../src/api/core/index.ts";
import {
  EVIDENCE_RECIPIENT,
  JOIN_POLICIES,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../src/api/countersign/index.ts";
import { CONFIG_MAPS, CSRS } from "../../src/api/meta/index.ts";
import { BEACON_CONFIG_MAP, parseRecipient } from "../../src/attestation/evidence/index.ts";
import { createInsecureProvider } from "../../src/attestation/insecure/node.ts";
import { createTpmProvider, readTpmIdentity } from "../../src/attestation/tpm/node.ts";
import { publicPointOf } from "../../src/kernel/crypto/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parsePublicArea, publicKeyOf } from "../../src/kernel/tpm/index.ts";
import { joinNode, parseDiscoveryMethod, renewCertificate, runNodeDaemon } from "../../src/node/index.ts";
import type { Plane } from "../../src/plane/plane.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { openTpm } from "../../src/platform/tpm/index.ts";
import { aDyingTpm } from "../builders/dying-tpm.ts";
import { QUOTE, refusal, type SpoiledAnswer, startFaultyTpm } from "../builders/faulty-tpm.ts";
import { startJoinablePlane } from "../builders/joinable-plane.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { notRun } from "../not-run.ts";
import { patient } from "../patience.ts";

const missing = missingTools("swtpm", "swtpm_setup");

const PROVIDER_ID = "test:///rack-1/worker-1";
const SERVING_SIGNER = "cluster.x-k8s.io/kubelet-serving-tpm";
const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";

function envelopeIn(request: string): string {
  const blocks = parsePem(Buffer.from(request, "base64").toString());
  return Buffer.from(blocks[2]?.bytes ?? []).toString();
}

describe.skipIf(notRun("a join with a TPM", missing))("a join with a TPM", () => {
  let directory: string;
  let plane: Plane;
  let token: string;
  let own: Swtpm;
  let other: Swtpm;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "countersign-tpm-"));
    [own, other] = await Promise.all([startSwtpm({ certificates: true }), startSwtpm({ certificates: true })]);
    ({ plane, token } = await startJoinablePlane(directory));
  });

  afterAll(async () => {
    await plane?.close();
    await own?.stop();
    await other?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function endorsementKeyOf(swtpm: Swtpm): Promise<string> {
    const tpm = await openTpm(swtpm.address, { clock: systemClock, timeoutMs: 10_000 });
    try {
      const { spki } = publicKeyOf(parsePublicArea((await readTpmIdentity(tpm)).ek));
      return createHash("sha256").update(spki).digest("hex");
    } finally {
      await tpm.close();
    }
  }
  const enrol = async (nodeName: string, swtpm: Swtpm, providerId: string) =>
    await plane.client.create<NodeIdentity>(NODE_IDENTITIES, {
      apiVersion: "countersign.dev/v1alpha1",
      kind: "NodeIdentity",
      metadata: { name: nodeName },
      spec: { nodeName, providerId, tpm: { ek: { spkiSha256: await endorsementKeyOf(swtpm) } } },
    });
  const machine = (name: string, swtpm: Swtpm | undefined) => ({
    discovery: parseDiscoveryMethod({ address: plane.url, token }),
    nodeName: "worker-1",
    directory: join(directory, name),
    provider: swtpm === undefined ? createInsecureProvider() : createTpmProvider({ address: swtpm.address }),
    providerId: PROVIDER_ID,
    clock: systemClock,
    limitMs: 20_000,
  });

  it("01 the operator enrols the machine by its endorsement key", async () => {
    await enrol("worker-1", own, PROVIDER_ID);
  });

  it("02 the machine proves itself and joins, each step said when it is done", async () => {
    const steps: string[] = [];
    const progress = (step: string) => steps.push(step);
    const registerNode = { addresses: [{ type: "InternalIP", address: "10.9.0.1" }] };
    await joinNode({ ...machine("a", own), progress, registerNode });
    const attested = ["attested", "requested", "approved", "signed", "stored", "registered"];
    expect(steps).toEqual(["discovered", "trusted", ...attested]);
    const { status } = await plane.client.get<NodeIdentity>(NODE_IDENTITIES, { name: "worker-1" });
    expect(status).toMatchObject({ phase: "Active", provider: "tpm", tpm: { ek: { trust: "Bound" } } });
  });

  const renewal = (name: string, swtpm: Swtpm) => ({
    nodeName: "worker-1",
    certDirectory: join(directory, name, "pki"),
    kubeconfig: join(directory, name, "kubeconfig"),
    bootstrapKubeconfig: undefined,
    signerName: TPM_SIGNER,
    provider: createTpmProvider({ address: swtpm.address }),
    providerId: PROVIDER_ID,
    clock: systemClock,
    signal: new AbortController().signal,
    onlyIfDue: false,
    limitMs: 20_000,
  });
  const current = (name: string, purpose = "client") =>
    readFileSync(join(directory, name, "pki", `kubelet-${purpose}-current.pem`), "utf8");

  it("03 it renews with its certificate and fresh proof, and shows its endorsement key no more", async () => {
    const before = current("a");
    const { items } = await plane.client.list<CertificateSigningRequest>(CSRS);
    const known = new Set(items.map(({ metadata }) => metadata.name));
    await renewCertificate(renewal("a", own));
    expect(current("a")).not.toBe(before);
    const made = (await plane.client.list<CertificateSigningRequest>(CSRS)).items.filter(
      ({ metadata }) => !known.has(metadata.name),
    );
    expect(made.map(({ spec }) => spec.username)).toContain("system:node:worker-1");
    for (const { spec } of made) expect(envelopeIn(spec.request)).toMatch(/^\{.*"intent":"renew"((?!"ek").)*\}$/);
    const { status } = await plane.client.get<NodeIdentity>(NODE_IDENTITIES, { name: "worker-1" });
    expect(status?.certificates).toHaveLength(2);
  });

  it("04 where a policy offers the beacon it renews by one request, and by the full exchange again where none does", async () => {
    await plane.client.create(JOIN_POLICIES, {
      apiVersion: "countersign.dev/v1alpha1",
      kind: "JoinPolicy",
      metadata: { name: "beacon" },
      spec: {
        mode: "Enforce",
        signers: [TPM_SIGNER],
        attestation: { renewalBeacon: true, tpm: { pcrs: { select: [0, 7] } } },
      },
    } as never);
    const { namespace, name } = BEACON_CONFIG_MAP;
    await vi.waitFor(() => plane.client.get(CONFIG_MAPS, { namespace, name }), { timeout: patient(10_000) });
    // The registers of the policy are learned from a challenge: the first renewal under it may still go the full way.
    await renewCertificate(renewal("a", own));
    const filed = await requestsOf(() => renewCertificate(renewal("a", own)));
    expect(filed).toEqual([expect.stringMatching(/^countersign-single-/)]);
    await vi.waitFor(async () => {
      const { status } = await plane.client.get<NodeIdentity>(NODE_IDENTITIES, { name: "worker-1" });
      expect(status?.exchanges?.at(-1)).toMatchObject({ state: "Issued" });
    }, patient(10_000));
    await plane.client.delete(JOIN_POLICIES, { name: "beacon" });
    await vi.waitFor(
      async () => {
        const again = await requestsOf(() => renewCertificate(renewal("a", own)));
        expect(again.filter((name) => name.startsWith("countersign-proof-"))).toHaveLength(1);
      },
      { timeout: patient(20_000) },
    );
    await plane.client.delete(CONFIG_MAPS, { namespace, name });
  });

  /** The names of the requests that came meanwhile and are still there. */
  async function requestsOf(act: () => Promise<unknown>): Promise<readonly string[]> {
    const names = async () =>
      (await plane.client.list<CertificateSigningRequest>(CSRS)).items.map(({ metadata }) => metadata.name ?? "");
    const known = new Set(await names());
    await act();
    return (await names()).filter((name) => !known.has(name));
  }

  const refusedWith = (reason: string) => ({ code: "denied", detail: { reason } });

  it("05 evidence that is sealed to the controller is read by it and by nobody else", async () => {
    const { name, key } = EVIDENCE_RECIPIENT;
    const target = { namespace: "countersign-system", name };
    const published = await vi.waitFor(() => plane.client.get<ConfigMap>(CONFIG_MAPS, target), {
      timeout: patient(10_000),
    });
    const recipient = parseRecipient(published.data?.[key] ?? "");
    const known = new Set((await plane.client.list(CSRS)).items.map(({ metadata }) => metadata.name));
    await renewCertificate({ ...renewal("a", own), recipient });
    const { items } = await plane.client.list<CertificateSigningRequest>(CSRS);
    const [sealed] = items.filter(({ metadata }) => metadata.name?.includes("-proof-") && !known.has(metadata.name));
    // Its first octet is the version of the seal and not the brace of an open envelope.
    expect(envelopeIn(sealed?.spec.request ?? "").charCodeAt(0)).toBe(1);
    const stranger = { ...recipient, point: publicPointOf("P-256", new Uint8Array(32).fill(7)) };
    await expect(renewCertificate({ ...renewal("a", own), recipient: stranger })).rejects.toMatchObject(
      refusedWith("EnvelopeUnreadable"),
    );
  });

  const FAULTS: Record<string, [spoil: SpoiledAnswer, code: string, todo: string]> = {
    "does not answer": [() => undefined, "timeout", "needs the machine switched off and on"],
    "asks to retry without end": [() => refusal(0x922), "unavailable", "the TPM is busy with somebody else"],
    "is locked out": [() => refusal(0x921), "unavailable", "wait until the lockout is over"],
    "sends half of an answer": [(answer) => answer.subarray(0, 40), "unavailable", "see that the TPM"],
    "sends an answer that is longer than it says": [
      (answer) => Buffer.concat([answer, answer]),
      "malformed",
      "answers are cut short",
    ],
  };
  it.each(Object.entries(FAULTS))(
    "06 a TPM that %s is named with what to do, and the renewal goes on with the same request",
    async (_, [spoil, code, todo]) => {
      const faulty = await startFaultyTpm(own, QUOTE, spoil);
      // Only silence is waited out; a busy machine must not look like a silent TPM.
      const timeoutMs = code === "timeout" ? 2_000 : 60_000;
      const provider = createTpmProvider({ address: faulty.address, timeoutMs });
      const impatient = { ...systemClock, sleep: async () => undefined };
      const open: typeof provider.open = (options) => provider.open({ ...options, clock: impatient });
      const failed = renewCertificate({ ...renewal("a", own), provider: { ...provider, open } });
      await expect(failed).rejects.toMatchObject({ code, detail: { todo: expect.stringContaining(todo) } });
      await faulty.close();
      const [left, more] = await hellosOf("worker-1");
      expect([typeof left, more]).toEqual(["string", undefined]);
      await renewCertificate(renewal("a", own));
      await vi.waitFor(async () => expect(await hellosOf("worker-1")).toEqual([]), { timeout: patient(10_000) });
    },
    40_000,
  );

  it("07 the daemon gets a serving certificate by the same proof", async () => {
    await plane.client.create(JOIN_POLICIES, {
      apiVersion: "countersign.dev/v1alpha1",
      kind: "JoinPolicy",
      metadata: { name: "serving" },
      spec: {
        mode: "Enforce",
        signers: [SERVING_SIGNER],
        serving: { inventory: { nodeAddresses: true, machineAddresses: false } },
      },
    } as never);
    const stop = new AbortController();
    const stored = new Promise<void>((resolve) => {
      const log = { ...silentLog, info: (text: string) => text === "certificate stored" && resolve() };
      const serving = {
        signerName: SERVING_SIGNER,
        names: () => ({ dnsNames: [], ipAddresses: ["10.9.0.1"] }),
      };
      const options = { ...renewal("a", own), rotate: true, serving, log, verbosity: 4, signal: stop.signal };
      void runNodeDaemon(options).catch(() => undefined);
    });
    await stored;
    stop.abort();
    expect(current("a", "server")).toContain("BEGIN CERTIFICATE");
  });

  it("08 another machine with a TPM of its own and the same token is refused", async () => {
    await expect(joinNode(machine("thief", other))).rejects.toMatchObject(refusedWith("EndorsementKeyChanged"));
  });

  it("09 nor does it help to say that it has no TPM, or to ask Kubernetes' own signer", async () => {
    await expect(joinNode(machine("downgrade", undefined))).rejects.toMatchObject(refusedWith("ProviderChanged"));
    const plain = { ...machine("plain", undefined), signerName: "kubernetes.io/kube-apiserver-client-kubelet" };
    await expect(joinNode(plain)).rejects.toMatchObject(refusedWith("EvidenceRequired"));
  });

  it("10 a TPM that dies in the middle is named, and the join goes on where it was when it is back", async () => {
    await enrol("worker-2", other, "test:///rack-1/worker-2");
    const second = { ...machine("b", other), nodeName: "worker-2", providerId: "test:///rack-1/worker-2" };
    const dying = aDyingTpm(other);
    await expect(joinNode({ ...second, provider: dying })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^(TPM at .* closed the connection|connection to the TPM at .* broke)/),
    });
    const waiting = await hellosOf("worker-2");
    expect(waiting).toHaveLength(1);
    // Nobody can be reached there at all now.
    await expect(joinNode(second)).rejects.toMatchObject({ message: expect.stringContaining("TPM cannot be used") });
    const back = await startSwtpm({ directory: other.directory });
    try {
      await joinNode({ ...second, discovery: undefined });
      await vi.waitFor(async () => expect(await hellosOf("worker-2")).toEqual([]), { timeout: patient(10_000) });
    } finally {
      await back.stop();
    }
  });

  /** An answered one is removed, once its proof has its certificate. */
  async function hellosOf(nodeName: string): Promise<readonly string[]> {
    const found = await plane.client.list<CertificateSigningRequest>(CSRS);
    const ofNode = ({ spec }: CertificateSigningRequest) => envelopeIn(spec.request).includes(`"node":"${nodeName}"`);
    const names = found.items.filter(ofNode).map(({ metadata }) => metadata.name ?? "");
    return names.filter((name) => name.startsWith("countersign-hello-"));
  }
});
