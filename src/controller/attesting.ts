// Attestation in this controller: what of the informers, authorities and settings it is given.

import type { CertificateSigningRequest } from "../api/certificates/index.ts";
import { NODE_IDENTITIES } from "../api/countersign/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { createEventRecorder, type KubeClient } from "../platform/kube/index.ts";
import type { Log, Metrics } from "../platform/report/index.ts";
import type { Act } from "./approval/index.ts";
import {
  type AttestationWorld,
  advertisedSigners,
  CHALLENGE_KEYS_SECRET,
  createChallengeKeys,
  createChallengePace,
  createClusterIds,
  createClusterPins,
  createCrowd,
  createGuard,
  createJunkCount,
  createOverflow,
  createProviderIdWatch,
  createRegistration,
  createRequestReader,
  createTokenMachines,
  createUpkeep,
  createWritePace,
  type EndorsementKeySource,
  type FloodControl,
  OPEN_HELLOS,
  type ProviderVerifier,
  paceWrites,
  removeRequest,
} from "./attestation/index.ts";
import { type Informers, NODES_BY_ADDRESS } from "./informers.ts";
import type { Handler } from "./loop/index.ts";
import { expectMachines } from "./machines/index.ts";
import { showOwnAnswers } from "./own-answers.ts";
import { TPM_SIGNERS } from "./signers.ts";
import type { Authorities } from "./signing/index.ts";

/** How machines prove what they are, as far as it is not a policy's matter. */
export interface AttestationSettings {
  /** Where NodeIdentities and challenge keys are. Default: the cluster of the requests. */
  readonly home?: KubeClient | undefined;
  /** Of the challenge keys. Default: countersign-system. */
  readonly namespace?: string | undefined;
  /** Whose identities these are, where one home has those of several clusters. */
  readonly clusterName?: string | undefined;
  /** Of the Cluster at home, for registration. Left out: whichever. */
  readonly clusterNamespace?: string | undefined;
  /** Ids of the cluster instead of the pins of its CAs: clusters that share a CA need one. */
  readonly clusterIds?: readonly string[] | undefined;
  readonly endorsementKeySources?: readonly EndorsementKeySource[] | undefined;
  /** Of installed providers. Their signers are served, unless `signers` says which are. */
  readonly verifiers?: readonly ProviderVerifier[] | undefined;
  /** The API server has the admission guard built in. */
  readonly hasBuiltInGuard?: boolean | undefined;
}

export interface AttestingWorld {
  /** Writes only while this replica leads. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Which replica this is, for Events. */
  readonly identity: string;
  readonly informers: Informers;
  readonly authorities: Authorities;
  readonly signers: readonly string[];
  readonly attestation?: AttestationSettings | undefined;
  readonly randomBytes: (count: number) => Uint8Array;
}

const HOME_NAMESPACE = "countersign-system";

export function createAttestationWorld(world: AttestingWorld, act: Act): AttestationWorld {
  const { clock, log, informers, randomBytes, attestation = {} } = world;
  const { namespace = HOME_NAMESPACE } = attestation;
  const { csrs, nodes, machines, policies, identities, tokens, clusterInfo, pools } = informers;
  const pinsOf = createClusterPins(() => clusterInfo.list()[0]);
  const idsOf = createClusterIds(pinsOf, attestation.clusterIds ?? []);
  const pace = createWritePace(clock);
  const client = paceWrites(world.client, clock, pace);
  const pacedHome = attestation.home === undefined ? client : paceWrites(attestation.home, clock, pace);
  const home = showOwnAnswers(pacedHome, NODE_IDENTITIES, identities);
  const { clusterName } = attestation;
  const isShared = attestation.home !== undefined && clusterName !== undefined;
  const nameAtHome = (name: string) => (isShared ? `${name}-${clusterName}` : name);
  const component = "node-attestation-controller";
  const events = createEventRecorder({ client: world.client, clock, log, component, instance: world.identity });
  return {
    ...{ client, home, clock, log, randomBytes, policies, identities, act, events },
    alarms: world.metrics.counter({
      name: "countersign_attestation_alarms_total",
      help: "Signs that two hold one identity, or that a node calls itself another machine, by reason.",
    }),
    machines: expectMachines(machines, pools),
    limits: createFloodControl(world, { client, events }),
    namespace,
    nameAtHome,
    keys: createChallengeKeys({ home, clock, log, namespace, name: nameAtHome(CHALLENGE_KEYS_SECRET), randomBytes }),
    guard: createGuard({ client, clock, log, events, isBuiltIn: attestation.hasBuiltInGuard }),
    readRequest: createRequestReader(),
    getNode: (name) => nodes.get(name),
    getRequest: (name) => csrs.get(name),
    nodesNamed: (name) => nodes.byIndex(NODES_BY_ADDRESS, name),
    machineOwners: machines.ownersOf,
    openHellos: (username = "") => csrs.byIndex(OPEN_HELLOS, username),
    countOpenHellos: () => csrs.countByIndex(OPEN_HELLOS, ""),
    machineOfToken: createTokenMachines({ client, tokens }),
    clusterIds: (csr) => idsOf(() => world.authorities.of(csr).certificate),
    clusterName: attestation.clusterName,
    servedSigners: world.signers,
    sources: attestation.endorsementKeySources ?? [],
    verifiers: attestation.verifiers ?? [],
  };
}

function createFloodControl(
  { clock, log, metrics, informers: { csrs } }: AttestingWorld,
  { client, events }: Pick<AttestationWorld, "client" | "events">,
): FloodControl {
  const dropped = metrics.counter({
    name: "countersign_attestation_requests_dropped_total",
    help: "Requests with evidence that were deleted before their time, by case.",
  });
  const waits = metrics.counter({
    name: "countersign_attestation_waits_total",
    help: "Looks at requests with evidence that wait because too many do, by reason.",
  });
  const remove = async (csr: CertificateSigningRequest) => {
    await removeRequest({ client }, csr);
    dropped.add({ why: "overflow" });
  };
  const overflow = createOverflow({ csrs, clock, log, remove });
  const help = "Certificate requests under the signers of attestation.";
  metrics.reading({ name: "countersign_attestation_requests", help, type: "gauge" }, overflow.count);
  const crowd = createCrowd({ clock, events, waits });
  return { pace: createChallengePace(clock), junk: createJunkCount(), crowd, overflow, dropped };
}

export function createAttestationUpkeep(
  { informers, metrics, attestation }: AttestingWorld,
  world: AttestationWorld,
): Handler {
  const providerIds = createProviderIdWatch(world);
  const help = "Nodes whose provider ID is not the one with which they were attested.";
  metrics.reading({ name: "countersign_attestation_provider_id_mismatches", help, type: "gauge" }, providerIds.count);
  return createUpkeep({
    world,
    providerIds,
    register: createRegistration({
      ...world,
      clusterNamespace: attestation?.clusterNamespace,
      signers: advertisedSigners(
        world.servedSigners,
        world.verifiers.map(({ name }) => name),
      ),
    }),
    wantsBeacon: () => {
      const { list, broken } = informers.policies;
      if (list().some(({ attestation }) => attestation.renewalBeacon === true)) return true;
      return broken().length === 0 ? false : undefined;
    },
    clusterId: () => {
      try {
        return world.clusterIds(ANY_REQUEST)[0];
      } catch (error) {
        if (isFault(error, "bad-config")) return undefined; // no CA yet: nobody renews either
        throw error;
      }
    },
    nodesSynced: () => informers.nodes.hasSynced(),
  });
}

/** For what is of the cluster, and not of a request: this one stands for those that its CA signs. */
export const ANY_REQUEST: CertificateSigningRequest = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: {},
  spec: { request: "", signerName: TPM_SIGNERS[0] ?? "", usages: [] },
};
