// What the suites of attestation stand on: a cluster with our definitions, Machines of Cluster API and the controller
// in it, and machines that join it. The TPM is one in software, so that forgers can hold one too.

import { beforeAll } from "vitest";
import { readPresigned, sendPresigned } from "../../sdk/src/index.ts";
import type { ClusterRole, RoleBinding } from "../../src/api/access/index.ts";
import {
  type CertificateSigningRequest,
  INSECURE_CLIENT_SIGNER,
  isIssued,
  signersOfProvider,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import type { Node, NodeAddress } from "../../src/api/core/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import type { JoinPolicySpec } from "../../src/api/countersign/join-policy.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import { CAPI_MACHINE_POOLS_V1BETA2 } from "../../src/api/foreign/machine-pool.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CSRS, NODES } from "../../src/api/meta/index.ts";
import {
  CHALLENGE_ANNOTATION,
  draftRequest,
  finishRequest,
  type Statement,
} from "../../src/attestation/evidence/index.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import type { ProviderVerifier } from "../../src/controller/judging/exchange/world.ts";
import type { AttestationSettings } from "../../src/controller/options.ts";
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
import { poolDefinition } from "../builders/machine-definition.ts";
import { aSoftTpm, type SoftTpm } from "../builders/soft-tpm.ts";
import {
  type ControllerStage,
  eventually,
  type JoiningClient,
  type Plane,
  useControllerStage,
} from "./controller-stage.ts";
import { define, defineKinds } from "./definitions.ts";

export const [CLIENT_SIGNER, SERVING_SIGNER] = signersOfProvider("tpm");
export const INSECURE_SIGNER = INSECURE_CLIENT_SIGNER;
export const [MACHINE_KEY_SIGNER] = signersOfProvider("machine-key");
export const [PRESIGNED_SIGNER] = signersOfProvider("presigned");

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
  machine(overrides?: Partial<Statement>, more?: Partial<MachineOptions>): AttestingMachine;
}

/** An installed provider, by challenge: shows the digest of the exchange, as a signature over it would. */
const machineKeyVerifier: ProviderVerifier = {
  name: "machine-key",
  versions: [1],
  freshness: "challenge",
  ask: async ({ request, evidence, hello, pins }) => {
    const serial = String(hello?.["serial"] ?? "");
    if (evidence["digest"] !== encodeHex(request.digest) || serial === "")
      return { kind: "Refused", reason: "ProofInvalid", message: "the digest is not that of the exchange" };
    if (pins !== undefined && pins["serial"] !== serial)
      return { kind: "Refused", reason: "SerialChanged", message: "the node was attested with another key" };
    return { kind: "Attested", level: "Key", pins: { serial } };
  },
};

/**
 * An installed provider whose machines bring a request that is signed for their platform; it goes to one host and to no
 * other.
 */
const presignedVerifier: ProviderVerifier = {
  name: "presigned",
  versions: [1],
  freshness: "time-limited",
  ask: async ({ evidence }, { signal }) => {
    const request = readPresigned(evidence, { hosts: ["sts.example.com"], path: "/", query: {}, headers: [] });
    if (!("url" in request)) return { kind: "Refused", reason: "DocumentInvalid", message: request.why };
    const { status } = await sendPresigned(request, { signal });
    return { kind: "Refused", reason: "ProofExpired", message: `the platform answered ${status}` };
  },
};

/** Who installs a provider also lets the controller decide about its signers. */
async function allowSigners(admin: KubeClient, resourceNames: readonly string[]): Promise<void> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "countersign:installed-provider" } };
  const rules = [
    { apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames, verbs: ["approve", "sign"] },
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
  await define(plane.admin, poolDefinition([CAPI_MACHINE_POOLS_V1BETA2.version]), CAPI_MACHINE_POOLS_V1BETA2);
  await allowSigners(plane.admin, [MACHINE_KEY_SIGNER, PRESIGNED_SIGNER]);
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
export function useAttestationStage(startPlane: () => Promise<Plane>, settings: AttestationSettings = {}) {
  const signers = [...servedSigners({ allowInsecure: true }), MACHINE_KEY_SIGNER, PRESIGNED_SIGNER];
  const attestation = { verifiers: [machineKeyVerifier, presignedVerifier], ...settings };
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

  /** Members without Machines of their own, whose names the policy's template gives. */
  async function createPool(name: string, providerIDList: readonly string[]): Promise<void> {
    const spec = { clusterName: "one", providerIDList, template: { spec: { bootstrap: { dataSecretName: "s" } } } };
    const metadata = { name, namespace: "default" };
    const pool = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachinePool", metadata, spec };
    await stage.admin.create(CAPI_MACHINE_POOLS_V1BETA2, pool as never);
  }

  function statement(node: string, overrides: Partial<Statement> = {}): Statement {
    const signer = overrides.purpose === "serving" ? SERVING_SIGNER : CLIENT_SIGNER;
    const common = { intent: "join", purpose: "client", signer, node, providerId: `test:///${node}` } as const;
    return { ...common, cluster: clusterOf(stage.plane), offered: ["tpm/1"], ...overrides };
  }

  /** A machine with a token, honest unless one thing is spoiled; with a TPM of its own that nobody listed. */
  function machineFor(node: string, overrides: Partial<Statement> = {}, options: Partial<MachineOptions> = {}) {
    return anAttestingMachine({ client: joining(), statement: statement(node, overrides), ...options });
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
  function askInsecurely(
    node: string,
    overrides: Partial<Statement> = {},
    { client = joining(), key }: Partial<Pick<MachineOptions, "client" | "key">> = {},
  ): Promise<Csr> {
    const claimed = statement(node, { signer: INSECURE_SIGNER, offered: ["insecure/1"], ...overrides });
    const protocol = { provider: "insecure", version: 1 };
    const actor = anAttestingMachine({ client, statement: claimed, protocol, ...(key === undefined ? {} : { key }) });
    const draft = draftRequest({ step: "single", statement: claimed, protocol, key: actor.key.signer });
    return actor.send(finishRequest(draft, { body: { kind: "insecure" } }));
  }

  /** The first step of an installed provider that is challenged. */
  function greetByKey(node: string): Promise<Csr> {
    const claimed = statement(node, { signer: MACHINE_KEY_SIGNER, offered: ["machine-key/1"] });
    const protocol = { provider: "machine-key", version: 1 };
    const actor = anAttestingMachine({ client: joining(), statement: claimed, protocol });
    const draft = draftRequest({ step: "hello", statement: claimed, protocol, key: actor.key.signer });
    return actor.send(finishRequest(draft, { body: { kind: "installed", value: { serial: "42" } } }));
  }

  /** Evidence of an installed provider that asks in one step. */
  function askPresigned(node: string, url: string): Promise<Csr> {
    const claimed = statement(node, { signer: PRESIGNED_SIGNER, offered: ["presigned/1"] });
    const protocol = { provider: "presigned", version: 1 };
    const actor = anAttestingMachine({ client: joining(), statement: claimed, protocol });
    const draft = draftRequest({ step: "single", statement: claimed, protocol, key: actor.key.signer });
    const value = { headers: {}, method: "GET", url };
    return actor.send(finishRequest(draft, { body: { kind: "installed", value } }));
  }

  return {
    ...{ apply, createMachine, createPool, register, statement, machineFor, aScene },
    ...{ askInsecurely, greetByKey, askPresigned },
  };
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
  /** The same, or waited with. */
  const settledOrHeld = (csr: Csr) =>
    eventually(
      `${nameOf(csr)} to be answered`,
      () => read(nameOf(csr)),
      ({ metadata: { annotations = {} }, status }) =>
        annotations[CHALLENGE_ANNOTATION] !== undefined ||
        annotations[VERDICT_ANNOTATION] !== undefined ||
        status?.conditions !== undefined,
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

  return { read, challenged, settled, settledOrHeld, issued, refused, waiting, held, identityOf };
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
