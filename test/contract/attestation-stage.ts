// What the suites of attestation stand on: a cluster with our definitions, Machines of Cluster API and the controller in it, and
// machines that join it. The TPM is one in software, so that forgers can hold one too.

import { beforeAll } from "vitest";
import type { ClusterRole, RoleBinding } from "../../src/api/access/index.ts";
import { type CertificateSigningRequest, isIssued, VERDICT_ANNOTATION } from "../../src/api/certificates/index.ts";
import type { Node, NodeAddress } from "../../src/api/core/index.ts";
import {
  JOIN_POLICIES,
  type JoinPolicySpec,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../src/api/countersign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/index.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CSRS, NODES } from "../../src/api/meta/index.ts";
import {
  CHALLENGE_ANNOTATION,
  type Claims,
  draftRequest,
  finishRequest,
} from "../../src/attestation/evidence/index.ts";
import type { ProviderVerifier } from "../../src/controller/attestation/index.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { servedSigners } from "../../src/controller/signers.ts";
import { encodeHex, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { publicKeyOf } from "../../src/kernel/tpm/index.ts";
import { parseCertificate } from "../../src/kernel/x509/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import {
  type AnswerOptions,
  type AttestingMachine,
  anAttestingMachine,
  type MachineOptions,
  refusalOf,
} from "../builders/attesting-machine.ts";
import { aSoftTpm, type SoftTpm } from "../builders/soft-tpm.ts";
import {
  type ControllerStage,
  eventually,
  type JoiningClient,
  type Plane,
  useControllerStage,
} from "./controller-stage.ts";
import { defineKinds } from "./definitions.ts";

export const CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
export const SERVING_SIGNER = "cluster.x-k8s.io/kubelet-serving-tpm";
export const INSECURE_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";
export const MACHINE_KEY_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-machine-key";

export type Csr = CertificateSigningRequest;
export type Attestation = NonNullable<JoinPolicySpec["attestation"]>;
export type AttestationStage = ReturnType<typeof useAttestationStage>;

export interface MachineStatus {
  readonly cluster?: string;
  readonly addresses?: readonly NodeAddress[];
  readonly nodeName?: string;
}

/** A Machine that waits for its node, with a TPM that the policy lists. */
export interface Scene {
  readonly family: string;
  readonly node: string;
  readonly tpm: SoftTpm;
  machine(overrides?: Partial<Claims>, more?: Partial<MachineOptions>): AttestingMachine;
}

/** An installed provider, by challenge: shows the digest of the exchange, as a signature over it would. */
const machineKeyVerifier: ProviderVerifier = {
  name: "machine-key",
  versions: [1],
  freshness: "challenge",
  ask: async ({ request, evidence, hello }) =>
    evidence["digest"] === encodeHex(request.digest) && hello?.["serial"] !== undefined
      ? { kind: "Attested", level: "Key", pins: { serial: String(hello["serial"]) } }
      : { kind: "Refused", reason: "ProofInvalid", message: "the digest is not that of the exchange" },
};

/** Who installs a provider also lets the controller decide about its signer. */
async function allowSigner(admin: KubeClient, signer: string): Promise<void> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "countersign:installed-provider" } };
  const rules = [
    { apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: [signer], verbs: ["approve", "sign"] },
  ];
  await admin.create<ClusterRole>(CLUSTER_ROLES, { ...rbac, kind: "ClusterRole", rules });
  const name = "system:serviceaccount:countersign-system:node-attestation-controller";
  await admin.create<RoleBinding>(CLUSTER_ROLE_BINDINGS, {
    ...rbac,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: rbac.metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
  });
}

async function prepare(plane: Plane): Promise<void> {
  await defineKinds(plane);
  await allowSigner(plane.admin, MACHINE_KEY_SIGNER);
}

let names = 0;
/** The beginning of node names that no other test uses. */
export function aFamily(): string {
  names++;
  return `m${names}${Buffer.from(randomBytes(3)).toString("hex")}`;
}

const addresses = new Map<string, string>();
/** Of a Machine, another for each. */
export function addressOf(name: string): string {
  const known = addresses.get(name) ?? `10.9.${addresses.size >> 8}.${addresses.size & 0xff}`;
  addresses.set(name, known);
  return known;
}

export const ekHash = (tpm: SoftTpm) => encodeHex(sha256(publicKeyOf(tpm.ek).spki));
export const nameOf = (csr: Csr) => csr.metadata.name ?? "";
export const pem = (csr: Csr) => parseUtf8(parseBase64(csr.status?.certificate ?? ""));

/** As a client sends it; the API server stamps the rest. */
export function bare({ request, signerName, usages }: Csr["spec"], metadata: Csr["metadata"] = {}): Csr {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { generateName: "csr-", ...metadata },
    spec: { request, signerName, usages },
  };
}

/** Stands before a suite's first test and goes after its last; to be called inside `describe`. */
export function useAttestationStage(startPlane: () => Promise<Plane>) {
  const signers = [...servedSigners({ allowInsecure: true }), MACHINE_KEY_SIGNER];
  const attestation = { verifiers: [machineKeyVerifier] };
  const stage = useControllerStage(startPlane, { prepare, controller: { signers, attestation } });
  let joining: JoiningClient;
  beforeAll(async () => {
    joining = await stage.connectWithToken();
  });
  const watching = watchersOf(stage);
  return {
    stage,
    get joining() {
      return joining.client;
    },
    ...watching,
    ...sceneryOf(stage, () => joining.client),
    ...actionsOf(stage, watching),
  };
}

/** The pin of the CA, as a machine computes it from its bootstrap data. */
function clusterOf({ caPem }: Plane): string {
  const [ca] = parsePem(caPem);
  return `sha256:${encodeHex(sha256(parseCertificate(ca?.bytes ?? new Uint8Array()).publicKey.spki))}`;
}

function sceneryOf(stage: ControllerStage, joining: () => KubeClient) {
  async function apply(family: string, attestation: Attestation, more: Partial<JoinPolicySpec> = {}): Promise<void> {
    const policy = { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name: family } };
    const limits = { newIdentitiesPerHour: 10_000 };
    const spec: JoinPolicySpec = { mode: "Enforce", nodeNames: `${family}-.*`, limits, attestation, ...more };
    await stage.admin.create(JOIN_POLICIES, { ...policy, spec });
    await eventually(
      `policy ${family} to be read`,
      () => stage.admin.get(JOIN_POLICIES, { name: family }),
      (seen) => "status" in seen,
    );
  }

  async function createMachine(name: string, more: MachineStatus = {}): Promise<void> {
    const { addresses = [{ type: "InternalIP", address: addressOf(name) }], nodeName } = more;
    const metadata = { name, namespace: "default" };
    const spec = {
      clusterName: more.cluster ?? "one",
      providerID: `test:///${name}`,
      bootstrap: { dataSecretName: "s" },
    };
    const machine = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata, spec };
    await stage.admin.create(CAPI_MACHINES_V1BETA2, machine as never);
    const status = { addresses, ...(nodeName === undefined ? {} : { nodeRef: { name: nodeName } }) };
    const target = { ...metadata, subresource: "status" };
    await stage.admin.patch(CAPI_MACHINES_V1BETA2, target, { status }, { type: "merge" });
  }

  function claims(node: string, overrides: Partial<Claims> = {}): Claims {
    const signer = overrides.purpose === "serving" ? SERVING_SIGNER : CLIENT_SIGNER;
    const common = { intent: "join", purpose: "client", signer, node, providerId: `test:///${node}` } as const;
    return { ...common, cluster: clusterOf(stage.plane), offered: ["tpm/1"], ...overrides };
  }

  /** A machine with a token, honest unless one thing is spoiled; with a TPM of its own that nobody listed. */
  function machineFor(node: string, overrides: Partial<Claims> = {}, options: Partial<MachineOptions> = {}) {
    return anAttestingMachine({ client: joining(), claims: claims(node, overrides), ...options });
  }

  async function aScene(attestation: Attestation = {}, more: Partial<JoinPolicySpec> = {}): Promise<Scene> {
    const family = aFamily();
    const node = `${family}-1`;
    const tpm = aSoftTpm();
    await apply(family, { ...attestation, tpm: { endorsementKeys: [ekHash(tpm)], ...attestation.tpm } }, more);
    await createMachine(node);
    return { family, node, tpm, machine: (overrides, options) => machineFor(node, overrides, { tpm, ...options }) };
  }

  async function register(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await stage.admin.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  }

  /** The provider that proves nothing, in the envelope. */
  function askInsecurely(node: string, overrides: Partial<Claims> = {}, client = joining()): Promise<Csr> {
    const claimed = claims(node, { signer: INSECURE_SIGNER, offered: ["insecure/1"], ...overrides });
    const protocol = { provider: "insecure", version: 1 };
    const actor = anAttestingMachine({ client, claims: claimed, protocol });
    const draft = draftRequest({ step: "single", claims: claimed, protocol, key: actor.key.signer });
    return actor.send(finishRequest(draft, { body: { kind: "insecure" } }));
  }

  return { apply, createMachine, claims, machineFor, aScene, register, askInsecurely };
}

function watchersOf(stage: ControllerStage) {
  const read = (name: string) => stage.admin.get<Csr>(CSRS, { name });
  const challenged = (csr: Csr) =>
    eventually(
      `${nameOf(csr)} to be challenged`,
      () => read(nameOf(csr)),
      (seen) => seen.metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined,
    );
  /** Challenged or refused. */
  const settled = (csr: Csr) =>
    eventually(
      `${nameOf(csr)} to be settled`,
      () => read(nameOf(csr)),
      (seen) => seen.metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined || refusalOf(seen) !== undefined,
    );
  const issued = (csr: Csr) => eventually(`${nameOf(csr)} to be issued`, () => read(nameOf(csr)), isIssued);
  const refused = async (csr: Csr) =>
    refusalOf(
      await eventually(
        `${nameOf(csr)} to be refused`,
        () => read(nameOf(csr)),
        (seen) => refusalOf(seen) !== undefined,
      ),
    );
  const waiting = (csr: Csr, reason: string) =>
    eventually(
      `${nameOf(csr)} to wait for ${reason}`,
      () => read(nameOf(csr)),
      (seen) => parseVerdict(seen.metadata.annotations?.[VERDICT_ANNOTATION] ?? "")?.reason === reason,
    );
  /** The reason for which it waits, neither approved nor refused. */
  const held = async (csr: Csr) => {
    const verdictOf = (seen: Csr) => parseVerdict(seen.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
    const seen = await eventually(
      `${nameOf(csr)} to be waited with`,
      () => read(nameOf(csr)),
      (now) => verdictOf(now)?.verdict === "Wait",
    );
    return seen.status?.conditions === undefined ? verdictOf(seen)?.reason : "decided";
  };
  const identityOf = (node: string) => stage.admin.get<NodeIdentity>(NODE_IDENTITIES, { name: node });

  return { read, challenged, settled, issued, refused, waiting, held, identityOf };
}

function actionsOf(stage: ControllerStage, { challenged, issued }: ReturnType<typeof watchersOf>) {
  async function prove(machine: AttestingMachine, options: AnswerOptions = {}): Promise<Csr> {
    const hello = await challenged(await machine.hello());
    return await machine.send(machine.answer(hello, options));
  }

  /** The whole join; the client of the node that came of it. */
  async function join(machine: AttestingMachine): Promise<{ readonly node: KubeClient; readonly csr: Csr }> {
    const csr = await issued(await prove(machine));
    return { csr, node: stage.connect({ certPem: pem(csr), keyPem: machine.key.encodePem() }) };
  }

  return { prove, join };
}
