// What the features share, made once from what the caller gives: clients that may write only while this replica leads,
// the readings of requests, claims on names, and all that attestation asks for.

import type { CertificateSigningRequest } from "../api/certificates/index.ts";
import { NODE_IDENTITIES } from "../api/countersign/index.ts";
import { CSRS } from "../api/meta/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import { type Certificate, verifyCertificateSignature } from "../kernel/x509/index.ts";
import { createEventRecorder } from "../platform/kube/index.ts";
import { createMetrics, type Log, type Metrics } from "../platform/report/index.ts";
import { CHALLENGE_KEYS_SECRET, createChallengeKeys } from "./identities/challenge-keys.ts";
import { createClusterIds, createClusterPins } from "./identities/cluster-ids.ts";
import { createGuard } from "./identities/guard.ts";
import { createFloodControl, createWritePace, paceWrites } from "./identities/limits.ts";
import { advertisedSigners, createRegistration } from "./identities/registration.ts";
import { createTokenMachines } from "./identities/token-machine.ts";
import { type Informers, NODES_BY_ADDRESS } from "./informers.ts";
import { CONTROLLER_NAME, createAct } from "./judging/act.ts";
import { requireStricter } from "./judging/chains.ts";
import { createClaims } from "./judging/claims.ts";
import { createProviders } from "./judging/exchange/providers.ts";
import type { AttestationWorld } from "./judging/exchange/world.ts";
import { createRequestReader, type RequestReader, wantedNode } from "./judging/reading.ts";
import { OPEN_HELLOS, removeRequest } from "./judging/tidy.ts";
import { createIdentityReader } from "./judging/unproven.ts";
import type { Leadership } from "./leadership.ts";
import { expectMachines } from "./machines/index.ts";
import type { WorldOptions } from "./options.ts";
import { showOwnAnswers } from "./own-answers.ts";
import { longestLifeMs } from "./signers.ts";
import { createSignerGate } from "./signing/gate.ts";
import { ANY_REQUEST, type Authorities } from "./signing/index.ts";

export type World = ReturnType<typeof createWorld>;

interface Made {
  readonly informers: Informers;
  readonly leadership: Leadership;
  readonly log: Log;
  readonly authorities: Authorities;
  readonly servedSigners: readonly string[];
}

/** What features take their part of. They share the readings of requests, so that each is parsed and verified once. */
export function createWorld(options: WorldOptions, made: Made) {
  const { clock, replica, metrics = createMetrics(), attestation = {} } = options;
  const { informers, leadership, log, authorities } = made;
  const reader = createRequestReader();
  const shared = {
    ...{ ...informers, clock, log, metrics, replica, authorities, servedSigners: made.servedSigners },
    client: showOwnAnswers(leadership.client, CSRS, informers.csrs),
    randomBytes: options.random,
    switchedOff: requireStricter(options.disabledRules ?? []),
    server: options.server,
    lifetimeMs: options.lifetimeMs,
    location: options.clusterInfo,
    readRequest: reader.plain,
    claims: createClaims({ isOfCluster: (certificate) => isSignedByCluster(authorities, certificate) }),
  };
  const act = createAct(shared);
  const attesting = createAttestationWorld(options, { ...shared, act, leadership, reader });
  const seeIdentity = createIdentityReader(attesting);
  const installed = (attestation.verifiers ?? []).map(({ name }) => name);
  return {
    ...{ ...shared, act, attesting },
    seeIdentity,
    // A copy of another cluster's identities may lag behind: before a certificate leaves, the live one is read.
    seeBeforeSigning:
      attestation.management === undefined ? seeIdentity : createIdentityReader({ ...attesting, isAlwaysLive: true }),
    clusterId: () => firstClusterId(attesting),
    register: createRegistration({
      ...attesting,
      clusterNamespace: attestation.clusterNamespace ?? options.cluster?.namespace,
      // An installed provider before the TPM's, both before the one that proves nothing.
      signers: advertisedSigners(made.servedSigners, [...installed, ...attesting.providers.map(({ name }) => name)]),
    }),
  };
}

interface Shared extends Pick<AttestationWorld, "client" | "clock" | "log" | "randomBytes" | "servedSigners" | "act"> {
  readonly metrics: Metrics;
  readonly leadership: Leadership;
  readonly authorities: Authorities;
  readonly reader: RequestReader;
}

const OWN_NAMESPACE = "countersign-system";

function createAttestationWorld(options: WorldOptions, shared: Shared & Informers): AttestationWorld {
  const { replica: instance, cluster, audit, attestation = {} } = options;
  const { clock, log, metrics, randomBytes, csrs, nodes, machines, policies, identities, tokens } = shared;
  const { namespace = audit?.namespace ?? OWN_NAMESPACE, clusterName = cluster?.name } = attestation;
  const pinsOf = createClusterPins(() => shared.clusterInfo.list()[0]);
  const idsOf = createClusterIds(pinsOf, attestation.clusterIds ?? []);
  const pace = createWritePace(clock);
  const client = paceWrites(shared.client, clock, pace);
  const elsewhere = attestation.management;
  const paced = elsewhere === undefined ? client : paceWrites(shared.leadership.fence(elsewhere), clock, pace);
  const management = showOwnAnswers(paced, NODE_IDENTITIES, identities);
  const isShared = elsewhere !== undefined && clusterName !== undefined;
  const nameInManagement = (name: string) => (isShared ? `${name}-${clusterName}` : name);
  const events = createEventRecorder({ client: shared.client, clock, log, component: CONTROLLER_NAME, instance });
  const name = nameInManagement(CHALLENGE_KEYS_SECRET);
  const keys = createChallengeKeys({ management, clock, log, namespace, name, randomBytes });
  const readRequest = shared.reader.evidence;
  const openHellos = (username = "") => csrs.byIndex(OPEN_HELLOS, username);
  return {
    ...{ client, management, clock, log, randomBytes, policies, identities, events },
    ...{ namespace, nameInManagement, clusterName },
    act: shared.act,
    servedSigners: shared.servedSigners,
    alarms: metrics.counter({
      name: "countersign_attestation_alarms_total",
      help: "Signs that two hold one identity, or that a node calls itself another machine, by reason.",
    }),
    machines: expectMachines(machines, shared.pools),
    limits: createFloodControl({ clock, log, metrics, csrs, events, remove: (csr) => removeRequest({ client }, csr) }),
    keys,
    readRequest,
    getNode: (name) => nodes.get(name),
    getRequest: (name) => csrs.get(name),
    nodesNamed: (name) => nodes.byIndex(NODES_BY_ADDRESS, name),
    machineOwners: machines.ownersOf,
    openHellos,
    countOpenHellos: () => csrs.countByIndex(OPEN_HELLOS, ""),
    machineOfToken: createTokenMachines({ client, tokens }),
    clusterIds: (csr) => idsOf(() => shared.authorities.of(csr).certificate),
    providers: createProviders({
      ...{ identities, keys, openHellos, readRequest },
      guard: createGuard({ client, clock, log, events, isBuiltIn: attestation.hasBuiltInGuard }),
      sources: attestation.endorsementKeySources ?? [],
      verifiers: attestation.verifiers ?? [],
    }),
  };
}

/** Undefined while there is no CA: no certificate is renewed then either. */
function firstClusterId({ clusterIds }: AttestationWorld): string | undefined {
  try {
    return clusterIds(ANY_REQUEST)[0];
  } catch (error) {
    if (isFault(error, "bad-config")) return undefined;
    throw error;
  }
}

/** While there is no CA it is not known; then it may be. */
function isSignedByCluster(authorities: Authorities, certificate: Certificate): boolean {
  try {
    return verifyCertificateSignature(certificate, authorities.of(ANY_REQUEST).certificate.publicKey);
  } catch (error) {
    if (isFault(error, "bad-config")) return true;
    throw error;
  }
}

/**
 * What the signer asks before it signs, and what an identity or a policy in Enforce bounds; one in Shadow changes
 * nothing here.
 */
export function signingBounds(world: World) {
  const { policies, attesting, readRequest } = world;
  // Without policies, which is how most clusters are, the request is not read for this.
  const enforcedOn = (csr: CertificateSigningRequest) => {
    if (policies.list().length === 0) return undefined;
    const policy = policies.of(csr.spec.signerName, wantedNode(readRequest(csr)));
    return policy?.mode === "Enforce" ? policy : undefined;
  };
  return {
    gate: createSignerGate(attesting, {
      requestIn: (csr) => {
        const reading = readRequest(csr);
        return reading.kind === "Readable" ? reading.request : undefined;
      },
      seeIdentity: world.seeBeforeSigning,
    }),
    switchedOffFor: (csr: CertificateSigningRequest) => [
      ...world.switchedOff,
      ...(enforcedOn(csr)?.disabledRules ?? []),
    ],
    lifetimeMsOf: (csr: CertificateSigningRequest) =>
      longestLifeMs(csr.spec.signerName, { configuredMs: world.lifetimeMs, policy: enforcedOn(csr) }),
  };
}
