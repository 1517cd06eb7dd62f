// A real kubelet whose only identity is kubelet-authenticator-tpm, with a TPM (swtpm, its endorsement key certified by
// swtpm_setup's own CA): it becomes Ready, serves with a certificate that it got as the attested node, and rotates by
// attesting anew, while its client key is on the disk only as the TPM seals it. kube-controller-manager does not run.

import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CertificateSigningRequest, KUBELET_SERVING_SIGNER } from "../../../src/api/certificates/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentity } from "../../../src/api/countersign/index.ts";
import type { JoinPolicySpec } from "../../../src/api/countersign/join-policy.ts";
import { execKubeconfig } from "../../../src/node/join/kubeconfigs.ts";
import { type KubeClient, loadKubeconfigClient } from "../../../src/platform/kube/index.ts";
import { SEALED_KEY_LABEL } from "../../../src/platform/pair/index.ts";
import { plainKeysIn } from "../../builders/key-seal.ts";
import { type Swtpm, startSwtpm } from "../../builders/swtpm.ts";
import {
  type ControlPlane,
  createWorkspace,
  locateProgram,
  manifestPath,
  type RunningKubelet,
  startControlPlane,
  startKubelet,
  startOurController,
  type Workspace,
  waitFor,
  waitForFreshLease,
} from "../harness/index.ts";
import { requestsOf, waitUntilServing } from "./kubelet.ts";
import { expectVersions } from "./versions.ts";

export const NAME = "worker-1";
export const CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
/** The plugin renews after 80 % of it. */
const LIFE_MS = 25_000;
/** kubeadm's; with them the token alone is enough. */
const BYPASSES = ["kubeadm:node-autoapprove-bootstrap", "kubeadm:node-autoapprove-certificate-rotation"];

/** What is there once the hooks have run. */
export interface TpmStage {
  readonly workspace: Workspace;
  readonly plane: ControlPlane;
  readonly admin: KubeClient;
  readonly own: Swtpm;
  /** Path of a kubeconfig with a bootstrap token. */
  readonly bootstrap: string;
}

export interface TpmKubeletJourney {
  stage(): TpmStage;
  joinsAndServes(): void;
  rotates(): void;
  /** The call of the plugin by which a machine with this TPM would be the node. */
  pluginArgs(machine: string, tpm: Swtpm): readonly string[];
}

/** To be called inside `describe`. */
export function tpmKubeletJourney(): TpmKubeletJourney {
  let stage: TpmStage;
  let kubelet: RunningKubelet;
  /** In the order of the starts. */
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const workspace = await createWorkspace("tpm-join");
    stops.push(workspace.remove);
    const own = await startSwtpm({ certificates: true });
    stops.push(own.stop);
    const plane = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
    stops.push(plane.stop);
    const admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    stops.push(() => admin.close());
    const bootstrap = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
    stage = { workspace, own, plane, admin, bootstrap };
    await plane.kubectl(["delete", "clusterrolebinding", ...BYPASSES]);
    await enrol(stage);
    stops.push((await startOurController(plane, { lifetimeMs: LIFE_MS })).stop);
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  const pluginArgs = (machine: string, tpm: Swtpm) => {
    const places = [`--cert-dir=${join(stage.workspace.dir, machine)}`, `--bootstrap-kubeconfig=${stage.bootstrap}`];
    const plugin = locateProgram("kubelet-authenticator-tpm");
    return [plugin, `--node-name=${NAME}`, ...places, `--tpm=${tpm.address}`, "--seal-key"];
  };

  return {
    stage: () => stage,
    pluginArgs,
    joinsAndServes: () => {
      it("makes a real kubelet Ready that has no identity but the plugin, and pins its TPM", async () => {
        const { plane, workspace, own } = stage;
        const kubeconfig = join(workspace.dir, "kubelet.kubeconfig");
        const call = { command: process.execPath, args: pluginArgs("own", own) };
        await writeFile(kubeconfig, execKubeconfig({ server: plane.url, caPem: plane.caPem }, call));
        const exec = { kubeconfig, rotateCertificates: false, serverTlsBootstrap: true };
        kubelet = await startKubelet({ controlPlane: plane, name: NAME, ...exec });
        stops.push(kubelet.stop);
        await kubelet.waitUntilReady();
        await expectVersions(plane, NAME);
        const [first] = await proofs(stage);
        expect(first?.status?.conditions).toMatchObject([{ type: "Approved", reason: "Attested" }]);
        expect((await identityNow(stage)).status).toMatchObject({ phase: "Active", provider: "tpm" });
        const current = join(workspace.dir, "own", "kubelet-client-current.pem");
        expect(await readFile(current, "utf8")).toContain(SEALED_KEY_LABEL);
        expect(clientKeysOnDisk(stage)).toEqual([]);
      });

      it("lets it serve with a certificate that it asked for itself, as the attested node", async () => {
        expect(await waitUntilServing(stage.plane, kubelet)).toBe(`system:node:${NAME}`);
        expect((await requestsOf(stage.admin, KUBELET_SERVING_SIGNER)).length).toBeGreaterThan(0);
      });
    },
    rotates: () => {
      it("rotates with the present certificate and fresh proof, and the kubelet goes on", async () => {
        const renewed = await waitFor({
          what: "a proof that the node itself filed",
          limitMs: 90_000,
          everyMs: 500,
          probe: async () => (await proofs(stage)).find(({ spec }) => spec.username === `system:node:${NAME}`),
        });
        expect(renewed.spec.extra?.["authentication.kubernetes.io/credential-id"]?.[0]).toMatch(/^X509SHA256=/);
        await waitFor({
          what: "its certificate in the identity",
          limitMs: 20_000,
          probe: async () => ((await clientCertificates(stage)).length >= 2 ? true : undefined),
        });
        await waitForFreshLease(stage.plane, NAME);
        expect(clientKeysOnDisk(stage)).toEqual([]);
      });
    },
  };
}

/** The makers' CAs in a policy, the node's name enrolled; which TPM it has shows at its first exchange. */
async function enrol({ plane, admin, own }: TpmStage): Promise<void> {
  expect(await plane.kubectl(["apply", "-f", manifestPath("crds")])).toMatchObject({ code: 0 });
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

/** Serving keys are the kubelet's to read, and plain. */
function clientKeysOnDisk({ workspace }: TpmStage): readonly string[] {
  return plainKeysIn(join(workspace.dir, "own")).filter((path) => !basename(path).startsWith("kubelet-server-"));
}

function identityNow({ admin }: TpmStage): Promise<NodeIdentity> {
  return admin.get<NodeIdentity>(NODE_IDENTITIES, { name: NAME });
}

async function clientCertificates(stage: TpmStage) {
  const { status } = await identityNow(stage);
  return status?.certificates?.filter(({ purpose }) => purpose === "Client") ?? [];
}

async function proofs({ admin }: TpmStage): Promise<readonly CertificateSigningRequest[]> {
  const all = await requestsOf(admin, CLIENT_SIGNER);
  return all.filter(({ metadata }) => metadata.name?.includes("-proof-"));
}
