// Must show: with a TPM (swtpm, its endorsement key certified by swtpm_setup's own CA) a node joins a real kube-apiserver: a real
// kubelet, whose only identity is kubelet-authenticator-tpm, becomes Ready, rotates by attesting anew, and serves with a
// certificate that it got as the attested node, while its client key is on the disk only as the TPM seals it. kube-controller-manager
// does not run. Then somebody with the same token.

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CertificateSigningRequest, isIssued, KUBELET_SERVING_SIGNER } from "../../src/api/certificates/index.ts";
import type { Node } from "../../src/api/core/index.ts";
import {
  JOIN_POLICIES,
  type JoinPolicySpec,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../src/api/countersign/index.ts";
import { CSRS, NODES } from "../../src/api/meta/index.ts";
import { createTpmProvider, readEndorsementKey } from "../../src/attestation/providers/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { joinNode, runNodeDaemon, servingNamesOf } from "../../src/node/index.ts";
import { execKubeconfig } from "../../src/node/join/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { SEALED_KEY_LABEL } from "../../src/platform/pair/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { aDyingTpm } from "../builders/dying-tpm.ts";
import { plainKeysIn } from "../builders/key-seal.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { notRun } from "../not-run.ts";
import {
  type ControlPlane,
  createWorkspace,
  locateProgram,
  type OurController,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurController,
  subjectServedOn,
  type Workspace,
  waitFor,
  waitForFreshLease,
} from "./harness/index.ts";

const missing = missingTools("swtpm", "swtpm_setup");

const NAME = "worker-1";
const never = new AbortController().signal;
const CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const SERVING_SIGNER = "cluster.x-k8s.io/kubelet-serving-tpm";
/** The plugin renews after 80 % of it. */
const LIFE_MS = 25_000;
const CRDS = new URL("../../deploy/crds", import.meta.url).pathname;
/** kubeadm's; with them the token alone is enough. */
const BYPASSES = ["kubeadm:node-autoapprove-bootstrap", "kubeadm:node-autoapprove-certificate-rotation"];

describe.skipIf(notRun("a join with a TPM", missing))("a join with a TPM on a real API server", () => {
  let workspace: Workspace;
  let plane: ControlPlane;
  let admin: KubeClient;
  let controller: OurController;
  let kubelet: RunningKubelet;
  let own: Swtpm;
  let thief: Swtpm;
  let bootstrap: string;

  beforeAll(async () => {
    workspace = await createWorkspace("tpm-join");
    [own, thief] = [await startSwtpm({ certificates: true }), await startSwtpm()];
    plane = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
    admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    await plane.kubectl(["delete", "clusterrolebinding", ...BYPASSES]);
    await prepare();
    controller = await startOurController(plane, { lifetimeMs: LIFE_MS });
    bootstrap = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
  }, 120_000);
  afterAll(async () => {
    await kubelet?.stop();
    await controller?.stop();
    await admin?.close();
    await plane?.stop();
    await own?.stop();
    await thief?.stop();
    await workspace?.remove();
  });

  /** The makers' CAs in a policy, the node's name enrolled; which TPM it has shows at its first exchange. */
  async function prepare(): Promise<void> {
    expect(await plane.kubectl(["apply", "-f", CRDS])).toMatchObject({ code: 0 });
    const definitions = ["crd/joinpolicies.countersign.dev", "crd/nodeidentities.countersign.dev"];
    await plane.kubectl(["wait", "--for=condition=Established", ...definitions, "--timeout=20s"]);
    const [roots = "", intermediates = ""] = own.authorities;
    const spec: JoinPolicySpec = {
      mode: "Enforce",
      client: { admit: "Evidence" },
      serving: { inventory: { nodeAddresses: true, machineAddresses: false } },
      attestation: { tpm: { roots, intermediates, firstUse: "Allow" } },
    };
    const apiVersion = "countersign.dev/v1alpha1";
    const policy = { apiVersion, kind: "JoinPolicy", metadata: { name: "tpm" }, spec };
    const identity = { apiVersion, kind: "NodeIdentity", metadata: { name: NAME }, spec: { nodeName: NAME } };
    await waitFor({ what: "the policy", limitMs: 10_000, probe: () => admin.create(JOIN_POLICIES, policy) });
    await waitFor({ what: "the identity", limitMs: 10_000, probe: () => admin.create(NODE_IDENTITIES, identity) });
  }

  function pluginArgs(machine: string, tpm: Swtpm): string[] {
    const plugin = locateProgram("kubelet-authenticator-tpm");
    const places = [`--cert-dir=${join(workspace.dir, machine)}`, `--bootstrap-kubeconfig=${bootstrap}`];
    return [plugin, `--node-name=${NAME}`, ...places, `--tpm=${tpm.address}`, "--seal-key"];
  }
  /** Serving keys are the kubelet's to read, and plain. */
  const clientKeysOnDisk = () =>
    plainKeysIn(join(workspace.dir, "own")).filter((path) => !basename(path).startsWith("kubelet-server-"));
  const identityNow = () => admin.get<NodeIdentity>(NODE_IDENTITIES, { name: NAME });
  const clientCertificates = async () =>
    (await identityNow()).status?.certificates?.filter(({ purpose }) => purpose === "Client") ?? [];
  const proofs = async () => {
    const { items } = await admin.list<CertificateSigningRequest>(CSRS);
    return items.filter(
      ({ metadata, spec }) => spec.signerName === CLIENT_SIGNER && metadata.name?.includes("-proof-"),
    );
  };

  it("makes a real kubelet Ready that has no identity but the plugin, and pins its TPM", async () => {
    const kubeconfig = join(workspace.dir, "kubelet.kubeconfig");
    const call = { command: process.execPath, args: pluginArgs("own", own) };
    await writeFile(kubeconfig, execKubeconfig({ server: plane.url, caPem: plane.caPem }, call));
    const exec = { kubeconfig, rotateCertificates: false, serverTlsBootstrap: true };
    kubelet = await startKubelet({ controlPlane: plane, name: NAME, ...exec });
    await kubelet.waitUntilReady();
    const [first] = await proofs();
    expect(first?.status?.conditions).toMatchObject([{ type: "Approved", reason: "Attested" }]);
    expect((await identityNow()).status).toMatchObject({ phase: "Active", provider: "tpm" });
    const current = join(workspace.dir, "own", "kubelet-client-current.pem");
    expect(await readFile(current, "utf8")).toContain(SEALED_KEY_LABEL);
    expect(clientKeysOnDisk()).toEqual([]);
  }, 120_000);

  it("lets it serve with a certificate that it asked for itself, as the attested node", async () => {
    const subject = await waitFor({
      what: "the kubelet to serve with a certificate of the cluster's CA",
      limitMs: 60_000,
      everyMs: 250,
      probe: () => subjectServedOn(kubelet.port, plane.caPem),
    });
    expect(subject).toBe(`system:node:${NAME}`);
    const { items } = await admin.list<CertificateSigningRequest>(CSRS);
    expect(items.filter(({ spec }) => spec.signerName === KUBELET_SERVING_SIGNER).length).toBeGreaterThan(0);
  }, 90_000);

  it("gives a serving certificate of the TPM's own signer to the daemon", async () => {
    const certDirectory = join(workspace.dir, "own");
    const kubeconfig = join(workspace.dir, "kubelet.kubeconfig");
    const addresses = (await admin.get<Node>(NODES, { name: NAME })).status?.addresses ?? [];
    const stop = new AbortController();
    const running = runNodeDaemon({
      ...{ nodeName: NAME, certDirectory, kubeconfig, bootstrapKubeconfig: undefined },
      ...{ signerName: CLIENT_SIGNER, provider: createTpmProvider({ address: own.address }) },
      ...{ rotate: true, serving: { signerName: SERVING_SIGNER, names: () => servingNamesOf(addresses) } },
      ...{ clock: systemClock, log: silentLog, verbosity: 0, signal: stop.signal },
    });
    const pem = await waitFor({
      what: "the daemon's serving certificate",
      limitMs: 30_000,
      everyMs: 250,
      probe: () => readFile(join(certDirectory, "kubelet-server-current.pem"), "utf8").catch(() => undefined),
    });
    stop.abort();
    await running;
    expect(pem).toContain("BEGIN CERTIFICATE");
  }, 60_000);

  it("rotates with the present certificate and fresh proof, and the kubelet goes on", async () => {
    const renewed = await waitFor({
      what: "a proof that the node itself filed",
      limitMs: 90_000,
      everyMs: 500,
      probe: async () => (await proofs()).find(({ spec }) => spec.username === `system:node:${NAME}`),
    });
    expect(renewed.spec.extra?.["authentication.kubernetes.io/credential-id"]?.[0]).toMatch(/^X509SHA256=/);
    await waitFor({
      what: "its certificate in the identity",
      limitMs: 20_000,
      probe: async () => ((await clientCertificates()).length >= 2 ? true : undefined),
    });
    await waitForFreshLease(plane, NAME);
    expect(clientKeysOnDisk()).toEqual([]);
  }, 120_000);

  it("renews by one request once the policy offers the beacon", async () => {
    const spec = { attestation: { renewalBeacon: true } };
    await admin.patch(JOIN_POLICIES, { name: "tpm" }, { spec }, { type: "merge" });
    const single = await waitFor({
      what: "a renewal by beacon that the node itself filed, signed",
      limitMs: 90_000,
      everyMs: 500,
      probe: async () => {
        const { items } = await admin.list<CertificateSigningRequest>(CSRS);
        return items.find((csr) => csr.metadata.name?.startsWith("countersign-single-") === true && isIssued(csr));
      },
    });
    expect(single.spec.username).toBe(`system:node:${NAME}`);
    expect(single.status?.conditions).toMatchObject([{ type: "Approved", reason: "Attested" }]);
    await waitForFreshLease(plane, NAME);
  }, 120_000);

  it("refuses another TPM with the same token, with the exit code that calls for an operator", async () => {
    await mkdir(join(workspace.dir, "thief"), { mode: 0o700 });
    const first = await runPlugin(pluginArgs("thief", thief));
    expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining("EndorsementKeyChanged") });
    const again = await runPlugin(pluginArgs("thief", thief));
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining("asked again after") });
  }, 60_000);

  it("goes on with the same request when a TPM died in the middle of a join and is back", async () => {
    const { spkiSha256 } = await readEndorsementKey({ clock: systemClock, signal: never }, thief.address);
    await admin.create<NodeIdentity>(NODE_IDENTITIES, {
      ...{ apiVersion: "countersign.dev/v1alpha1", kind: "NodeIdentity", metadata: { name: "worker-2" } },
      spec: { nodeName: "worker-2", tpm: { ek: { spkiSha256 } } },
    });
    const join2 = {
      ...{ nodeName: "worker-2", directory: join(workspace.dir, "worker-2"), clock: systemClock },
      bootstrap: { kind: "kubeconfig", path: bootstrap } as const,
    };
    await expect(joinNode({ ...join2, provider: aDyingTpm(thief) })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^(TPM at .* closed the connection|connection to the TPM at .* broke)/),
    });
    const [left] = await hellosOf("worker-2");
    const back = await startSwtpm({ directory: thief.directory });
    try {
      await joinNode({ ...join2, provider: createTpmProvider({ address: back.address }) });
    } finally {
      await back.stop();
    }
    await vi.waitFor(async () => {
      const answered = (await admin.get<NodeIdentity>(NODE_IDENTITIES, { name: "worker-2" })).status?.exchanges;
      expect(answered).toMatchObject([{ helloUid: left?.metadata.uid, state: "Issued" }]);
    }, 10_000);
  }, 60_000);

  async function hellosOf(node: string): Promise<readonly CertificateSigningRequest[]> {
    const { items } = await admin.list<CertificateSigningRequest>(CSRS);
    return items.filter(({ metadata, spec }) => {
      const isHello = metadata.name?.startsWith("countersign-hello-") === true;
      const [, , envelope] = parsePem(Buffer.from(spec.request, "base64").toString());
      return isHello && Buffer.from(envelope?.bytes ?? []).includes(`"node":"${node}"`);
    });
  }
});

function runPlugin(args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const spec = { interactive: false };
  const info = { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", spec };
  const env = { ...process.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: 60_000 }, (error, _, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stderr }),
    );
  });
}
