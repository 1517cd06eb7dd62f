// A whole exchange of the TPM provider as the controller sees it, valid by default: hello, challenge, proof, and the
// facts that its rules judge. Tests spoil one thing and expect one token.

import type { UserInfo } from "../../src/api/access/index.ts";
import { signersOfProvider } from "../../src/api/certificates/index.ts";
import type { NodeIdentity } from "../../src/api/countersign/index.ts";
import type { Machine } from "../../src/api/foreign/index.ts";
import {
  beaconEpoch,
  beaconExtraData,
  beaconNonce,
  CHALLENGE_ANNOTATION,
  type Challenge,
  challengeSecret,
  deriveChallengeKeys,
  draftRequest,
  type EvidenceBody,
  encodeChallenge,
  exchangeExtraData,
  type FinishedRequest,
  type FinishOptions,
  finishRequest,
  type Protocol,
  type Statement,
  type TpmProof,
  transcriptDigest,
} from "../../src/attestation/evidence/index.ts";
import { type EvidenceFacts, type RequestObject, readEvidence } from "../../src/attestation/rules/index.ts";
import { challengedTpm, pinnedTpmKeys, readTpmKeys, type TpmHelloFacts } from "../../src/attestation/tpm/facts.ts";
import type { BeaconFacts, OwnedProofFacts } from "../../src/attestation/tpm/judge.ts";
import { encodeBase64, encodeHex } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { makeCredential, nameOf, publicKeyOf } from "../../src/kernel/tpm/index.ts";
import type { SubjectAltNameTemplate } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, type PrivateKey } from "../../src/platform/keys/index.ts";
import { aSoftTpm, type QuoteOptions, type SoftTpm } from "./soft-tpm.ts";

export const NOW_MS = 1_794_772_300_000;
export const CLUSTER = `sha256:${"ab".repeat(32)}`;
export const NODE = "worker-1";
const PROVIDER_ID = "test:///zone/worker-1";
export const [CLIENT_SIGNER, SERVING_SIGNER] = signersOfProvider("tpm");
export const KEYS = deriveChallengeKeys("00c0ffee", new Uint8Array(32).fill(7));
export const PROTOCOL: Protocol = { provider: "tpm", version: 1 };
export const PCRS = [0, 1, 7];
export const PCR_VALUES = PCRS.map((pcr) => new Uint8Array(32).fill(pcr));
export const HELLO_UID = "0b8a2c2e-4f52-4c5a-9a55-6b7d1a3c9e10";
export const PROOF_UID = "1b8a2c2e-4f52-4c5a-9a55-6b7d1a3c9e11";
export const CREDENTIAL = "c0".repeat(32);

export const TOKEN: UserInfo = {
  username: "system:bootstrap:abcdef",
  groups: ["system:bootstrappers", "system:authenticated"],
};

export function aNodeUser(node = NODE, credential = CREDENTIAL): UserInfo {
  return {
    username: `system:node:${node}`,
    groups: ["system:nodes", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${credential}`] },
  };
}

export function someStatement(overrides: Partial<Statement> = {}): Statement {
  return {
    intent: "join",
    purpose: "client",
    signer: CLIENT_SIGNER,
    node: NODE,
    providerId: PROVIDER_ID,
    cluster: CLUSTER,
    offered: ["tpm/1"],
    ...overrides,
  };
}

export const tpmHash = (tpm: SoftTpm) => encodeHex(sha256(publicKeyOf(tpm.ek).spki));

export interface ExchangeOptions {
  readonly tpm?: SoftTpm;
  readonly statement?: Partial<Statement>;
  readonly requester?: UserInfo;
  readonly key?: PrivateKey;
  readonly names?: SubjectAltNameTemplate;
  readonly protocol?: Protocol;
  readonly quote?: Partial<QuoteOptions>;
  readonly seal?: FinishOptions["seal"];
  /** The secret, where somebody who could not open it answers. */
  readonly secret?: Uint8Array;
  readonly body?: EvidenceBody;
  /** Changes the proof's own part after the TPM made it. */
  readonly alter?: (proof: TpmProof) => TpmProof;
}

export function anObject(finished: FinishedRequest, uid: string, requester: UserInfo = TOKEN): RequestObject {
  const { name, signerName, usages, request } = finished;
  return {
    name,
    uid,
    signerName,
    usages,
    request,
    requester,
    annotations: {},
    hasFinalizers: false,
    hasOwnerReferences: false,
    isDeleting: false,
    isDecided: false,
    createdMs: NOW_MS - 1_000,
  };
}

export interface Exchange {
  readonly tpm: SoftTpm;
  readonly hello: RequestObject;
  /** The hello after it was challenged. */
  readonly challenged: RequestObject;
  readonly proof: RequestObject;
}

export function anExchange(options: ExchangeOptions = {}): Exchange {
  const { tpm = aSoftTpm(), key = generatePrivateKey("P-256"), protocol = PROTOCOL, requester = TOKEN } = options;
  const statement = someStatement(options.statement);
  const draft = { statement, protocol, key: key.signer, names: options.names };
  const endorsement = statement.intent === "renew" ? undefined : { ek: tpm.ek.raw, ekChain: [] };
  const body: EvidenceBody = options.body ?? { kind: "tpm-hello", ak: tpm.ak.raw, endorsement };
  const finish = options.seal === undefined ? {} : { seal: options.seal };
  const hello = anObject(
    finishRequest(draftRequest({ ...draft, step: "hello" }), { body, ...finish }),
    HELLO_UID,
    requester,
  );
  const { annotation, secret } = challengeFor(hello, tpm, statement);
  const challenged = { ...hello, annotations: { [CHALLENGE_ANNOTATION]: annotation } };
  const proof = answer({ ...options, tpm, key, protocol, statement, secret: options.secret ?? secret }, challenged);
  return { tpm, hello, challenged, proof };
}

function challengeFor(hello: RequestObject, tpm: SoftTpm, statement: Statement) {
  const tpmSide = { akName: nameOf(tpm.ak), ekHash: sha256(publicKeyOf(tpm.ek).spki) };
  const challenged = { cluster: statement.cluster, helloRequest: hello.request, helloUid: hello.uid, tpm: tpmSide };
  const iat = Math.floor(NOW_MS / 1000) - 10;
  const core = {
    iat,
    exp: iat + 300,
    kid: KEYS.kid,
    nonce: new Uint8Array(16).fill(3),
    protocol: PROTOCOL,
    pcrs: PCRS,
  };
  const secret = challengeSecret(KEYS, core, challenged);
  const randomness = { kind: "ecc", scalar: new Uint8Array(32).fill(9) } as const;
  const made = makeCredential({ endorsementKey: tpm.ek, objectName: nameOf(tpm.ak), secret, randomness });
  const challenge: Challenge = { alg: "tpm2-credential", ...core, ...made };
  return { annotation: encodeChallenge(KEYS, challenge, challenged), secret, made };
}

function answer(
  options: ExchangeOptions & {
    tpm: SoftTpm;
    key: PrivateKey;
    protocol: Protocol;
    statement: Statement;
    secret: Uint8Array;
  },
  hello: RequestObject,
): RequestObject {
  const { tpm, key, protocol, statement, secret, requester = TOKEN } = options;
  const draft = draftRequest({ step: "proof", statement, protocol, key: key.signer, names: options.names });
  const annotation = hello.annotations[CHALLENGE_ANNOTATION] ?? "";
  const freshness = { kind: "challenge", helloRequest: hello.request, helloUid: hello.uid, annotation } as const;
  const digest = transcriptDigest({ statement, protocol, spki: draft.spki, cri: draft.cri, freshness });
  const quoted = { extraData: exchangeExtraData(secret, digest), pcrs: PCRS, values: PCR_VALUES, ...options.quote };
  const made: TpmProof = { kind: "tpm-proof", ...tpm.quote(quoted), pcrs: PCR_VALUES };
  const body = options.alter?.(made) ?? made;
  const named = { hello: { name: hello.name, uid: hello.uid } };
  return anObject(finishRequest(draft, { body, ...named }), PROOF_UID, requester);
}

export function aMachine(overrides: Partial<Machine> = {}): Machine {
  return {
    group: "cluster.x-k8s.io",
    namespace: "default",
    name: NODE,
    uid: "machine-uid",
    createdMs: NOW_MS - 60_000,
    isDeleting: false,
    clusterName: "prod",
    providerId: PROVIDER_ID,
    nodeName: undefined,
    addresses: [],
    isBootstrapReady: true,
    ...overrides,
  };
}

/** The identity as it stands after a first exchange with this TPM. */
export function anIdentity(tpm: SoftTpm, overrides: Partial<NodeIdentity["status"] & object> = {}): NodeIdentity {
  return {
    apiVersion: "countersign.dev/v1alpha1",
    kind: "NodeIdentity",
    metadata: { name: NODE },
    spec: { nodeName: NODE },
    status: {
      phase: "Active",
      provider: "tpm",
      protocolFloor: "tpm/1",
      providerId: PROVIDER_ID,
      tpm: {
        ek: { spkiSha256: tpmHash(tpm), public: encodeBase64(tpm.ek.raw), trust: "Listed" },
        ak: { name: encodeHex(nameOf(tpm.ak)), public: encodeBase64(tpm.ak.raw) },
        resetCount: 1,
        restartCount: 0,
        clock: "500",
      },
      certificates: [{ sha256: CREDENTIAL, serialNumber: "1", notAfter: "2027-01-01T00:00:00Z", purpose: "Client" }],
      ...overrides,
    },
  };
}

function commonFacts(object: RequestObject): EvidenceFacts {
  return {
    nowMs: NOW_MS,
    object,
    reading: readEvidence(object.request, { signerProvider: "tpm", recipients: [] }),
    cluster: {
      ids: [CLUSTER],
      servedSigners: [CLIENT_SIGNER, SERVING_SIGNER],
      supported: [PROTOCOL],
      authorizedProviders: [PROTOCOL.provider],
    },
    policy: {},
    listedRequesters: [],
    identity: { kind: "Absent" },
    machines: { kind: "Present", value: [aMachine()] },
    machineHolders: { kind: "Present", value: [] },
    tokenMachine: { kind: "Absent" },
    templateNames: [],
    joinWindowMs: 7_200_000,
    node: { kind: "Absent" },
    ownNames: { kind: "Present", value: [NODE, "10.0.0.1"] },
    foreignNames: { kind: "Present", value: new Map() },
    disputedNames: new Map(),
    limits: {
      openOfRequester: 1,
      openOfRequesterLimit: 32,
      openOfRequesterAndKey: 1,
      openInCluster: 1,
      newIdentitiesInHour: 0,
      newIdentitiesPerHour: 100,
      newIdentitiesPerHourBy: "JoinPolicy fleet",
    },
  };
}

/** Facts of a hello, with the TPM listed in the policy. */
export function helloFacts({ hello, tpm }: Exchange, overrides: Partial<TpmHelloFacts> = {}): TpmHelloFacts {
  const common = { ...commonFacts(overrides.object ?? hello), ...overrides };
  const keys = keysOf(common, overrides.identity ?? common.identity);
  const side = { cluster: CLUSTER, request: common.object.request, uid: common.object.uid };
  return {
    ...common,
    policy: { tpm: { endorsementKeys: [tpmHash(tpm)] }, ...overrides.policy },
    keys,
    sources: [],
    deniedKeys: [],
    roots: [],
    intermediates: [],
    revocationLists: [],
    otherHolders: { kind: "Present", value: [] },
    challengeKeys: [KEYS],
    challenged: challengedTpm(side, keys),
    ...withoutPolicy(overrides),
  };
}

function withoutPolicy<T extends { readonly policy?: unknown }>(overrides: T): Omit<T, "policy"> {
  const { policy: _, ...rest } = overrides;
  return rest;
}

function keysOf(facts: EvidenceFacts, identity: EvidenceFacts["identity"]) {
  const none = { ok: false, reason: "EnvelopeMalformed", message: "unread" } as const;
  const { envelope } = facts.reading;
  return envelope.ok ? readTpmKeys(envelope.value.parsed, identity) : { endorsementKey: none, attestationKey: none };
}

export function proofFacts(exchange: Exchange, overrides: Partial<OwnedProofFacts> = {}): OwnedProofFacts {
  const { challenged, proof } = exchange;
  const ofHello = helloFacts(
    { ...exchange, hello: challenged },
    { ...(overrides.identity === undefined ? {} : { identity: overrides.identity }) },
  );
  const object = overrides.object ?? proof;
  const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });
  const hello = { kind: "Present", value: { object: challenged, reading: ofHello.reading } } as const;
  return { ...ofHello, object, reading, hello, demandedPcrs: PCRS, ...overrides };
}

/** A renewal in one step, by the beacon of this moment. */
export function aBeaconRenewal(
  tpm: SoftTpm,
  options: {
    readonly epoch?: number;
    readonly quote?: Partial<QuoteOptions>;
    readonly statement?: Partial<Statement>;
  } = {},
): BeaconFacts {
  const statement = someStatement({ intent: "renew", ...options.statement });
  const key = generatePrivateKey("P-256");
  const draft = draftRequest({ step: "single", statement, protocol: PROTOCOL, key: key.signer });
  const beacon = { epoch: options.epoch ?? beaconEpoch(NOW_MS), kid: KEYS.kid };
  const freshness = { kind: "beacon", ...beacon } as const;
  const digest = transcriptDigest({ statement, protocol: PROTOCOL, spki: draft.spki, cri: draft.cri, freshness });
  const extraData = beaconExtraData(beaconNonce(KEYS, beacon.epoch, CLUSTER), digest);
  const quoted = tpm.quote({ extraData, pcrs: PCRS, values: PCR_VALUES, ...options.quote });
  const body: EvidenceBody = { kind: "tpm-proof", ...quoted, pcrs: PCR_VALUES };
  const object = anObject(finishRequest(draft, { body, beacon }), PROOF_UID, aNodeUser());
  const identity = { kind: "Present", value: anIdentity(tpm) } as const;
  const facts = helloFacts(
    { tpm, hello: object, challenged: object, proof: object },
    { identity, policy: { renewalBeacon: true } },
  );
  return {
    ...facts,
    keys: pinnedTpmKeys(identity),
    demandedPcrs: PCRS,
    node: { kind: "Present", value: { uid: "n" } },
  };
}
