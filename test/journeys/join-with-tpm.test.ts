// A join with a TPM on the embedded control plane: the operator enrols a machine by its endorsement key, the machine proves that it
// is it, renews with fresh proof, gets its serving certificate; and then its attackers, each with the same live token.

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { buildTokenSecret, encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import { CSRS, SECRETS } from "../../src/api/meta/index.ts";
import { createInsecureProvider, createTpmProvider, readTpmIdentity } from "../../src/attestation/providers/index.ts";
import { type Plane, startPlane } from "../../src/cli/cluster/plane.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parsePublicArea, publicKeyOf } from "../../src/kernel/tpm/index.ts";
import { joinNode, parseDiscoveryMethod, renewCertificate, runNodeDaemon } from "../../src/node/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { openTpm } from "../../src/platform/tpm/index.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";

const missing = missingTools("swtpm", "swtpm_setup");
if (missing !== undefined) console.warn(`the journey with a TPM is skipped: ${missing}`);

const PROVIDER_ID = "test:///rack-1/worker-1";
const SERVING_SIGNER = "cluster.x-k8s.io/kubelet-serving-tpm";
const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";

function envelopeIn(request: string): string {
  const blocks = parsePem(Buffer.from(request, "base64").toString());
  return Buffer.from(blocks[2]?.bytes ?? []).toString();
}

describe.skipIf(missing !== undefined)("a join with a TPM", () => {
  let directory: string;
  let plane: Plane;
  let token: string;
  let own: Swtpm;
  let other: Swtpm;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "countersign-tpm-"));
    [own, other] = await Promise.all([startSwtpm({ certificates: true }), startSwtpm({ certificates: true })]);
    plane = await startPlane({
      directory: join(directory, "cluster"),
      host: "127.0.0.1",
      port: 0,
      kubeconfigOut: join(directory, "admin.kubeconfig"),
      allowInsecure: true,
      clock: systemClock,
      log: silentLog,
    });
    const made = generateToken(randomBytes);
    token = encodeToken(made);
    await plane.client.create(SECRETS, buildTokenSecret(made, { nowMs: Date.now(), ttlMs: 600_000 }));
  }, 60_000);

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
    requestLimitMs: 20_000,
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
  }, 40_000);

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
  }, 40_000);

  it("04 the daemon gets a serving certificate by the same proof", async () => {
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
  }, 40_000);

  const refusedWith = (reason: string) => ({ code: "denied", detail: { reason } });

  it("05 another machine with a TPM of its own and the same token is refused", async () => {
    await expect(joinNode(machine("thief", other))).rejects.toMatchObject(refusedWith("EndorsementKeyChanged"));
  }, 40_000);

  it("06 nor does it help to say that it has no TPM, or to ask Kubernetes' own signer", async () => {
    await expect(joinNode(machine("downgrade", undefined))).rejects.toMatchObject(refusedWith("ProviderChanged"));
    const plain = { ...machine("plain", undefined), signerName: "kubernetes.io/kube-apiserver-client-kubelet" };
    // Others may serve that signer too: the refusal is written down, but never as a denial.
    await expect(joinNode({ ...plain, requestLimitMs: 1_000 })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("node-is-not-registered-yet"),
    });
  }, 40_000);

  it("07 a TPM that dies in the middle is named, and the join goes on where it was when it is back", async () => {
    await enrol("worker-2", other, "test:///rack-1/worker-2");
    const second = { ...machine("b", other), nodeName: "worker-2", providerId: "test:///rack-1/worker-2" };
    const provider = createTpmProvider({ address: other.address });
    const dying = {
      ...provider,
      open: async (options: Parameters<typeof provider.open>[0]) => {
        const prover = await provider.open(options);
        const proof: typeof prover.proof = async (input, hello) => {
          const gone = new Promise((resolve) => other.process.once("exit", resolve));
          other.process.kill("SIGKILL");
          await gone;
          return prover.proof(input, hello);
        };
        return { ...prover, proof };
      },
    };
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
      await vi.waitFor(async () => expect(await hellosOf("worker-2")).toEqual([]), { timeout: 10_000 });
    } finally {
      await back.stop();
    }
  }, 60_000);

  /** An answered one is removed, once its proof has its certificate. */
  async function hellosOf(nodeName: string): Promise<readonly string[]> {
    const found = await plane.client.list<CertificateSigningRequest>(CSRS);
    const ofNode = ({ spec }: CertificateSigningRequest) => envelopeIn(spec.request).includes(`"node":"${nodeName}"`);
    const names = found.items.filter(ofNode).map(({ metadata }) => metadata.name ?? "");
    return names.filter((name) => name.startsWith("countersign-hello-"));
  }
});
