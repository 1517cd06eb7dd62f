// Everything that a rule about evidence may know, as one value. A gatherer reads the world once; rules read only this.

import type { UserInfo } from "../../api/access/index.ts";
import type { AttestationPolicy, NodeIdentity } from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { Challenged, ChallengeKeys, Protocol } from "../evidence/index.ts";
import type { EvidenceReading, Reading } from "./reading.ts";

/** The CertificateSigningRequest as the API server keeps it; only what the rules need. */
export interface RequestObject {
  readonly name: string;
  readonly uid: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly request: Uint8Array;
  /** Stamped by the API server; the requester cannot choose it. */
  readonly requester: UserInfo;
  readonly annotations: Readonly<Record<string, string>>;
  readonly hasFinalizers: boolean;
  readonly hasOwnerReferences: boolean;
  readonly isDeleting: boolean;
  /** Has the condition Approved, Denied or Failed. */
  readonly isDecided: boolean;
  /** The API server's clock, whole seconds: it ages objects and decides nothing else. */
  readonly createdMs: number;
}

/** What the controller is, for this workload cluster. */
interface ClusterFacts {
  /** Pins of every valid CA, or the ids that were given; the first is the one that beacons name. */
  readonly ids: readonly string[];
  readonly servedSigners: readonly string[];
  /** Protocols with a verifier, all providers. */
  readonly supported: readonly Protocol[];
  /** Providers that the cluster lets in. */
  readonly authorizedProviders: readonly string[];
}

/** Open hellos and young identities, and how many may be. */
export interface LimitFacts {
  readonly openOfRequester: number;
  readonly openOfRequesterLimit: number;
  readonly openOfRequesterAndKey: number;
  readonly openInCluster: number;
  readonly newIdentitiesInHour: number;
  readonly newIdentitiesPerHour: number;
  /** Where that number comes from, for people. */
  readonly newIdentitiesPerHourBy: string;
}

interface MachineHolder {
  readonly node: string;
  /** An operator enrolled it, or it has proved what it is. */
  readonly isProven: boolean;
}

export interface EvidenceFacts {
  readonly nowMs: number;
  readonly object: RequestObject;
  readonly reading: EvidenceReading;
  readonly cluster: ClusterFacts;
  readonly policy: AttestationPolicy;
  /** Users who may ask for a first certificate beside holders of bootstrap tokens. */
  readonly listedRequesters: readonly string[];
  /** Whether only they may, and no holder of a bootstrap token. */
  readonly refusesBootstrapTokens?: boolean | undefined;
  /** The identity of the node that the envelope names. */
  readonly identity: Seen<NodeIdentity>;
  /** Machines of this cluster with the envelope's provider ID; absent: the cluster has no Machines at all. */
  readonly machines: Seen<readonly Machine[]>;
  /** Other nodes with a live identity that was attested with this provider ID: a machine is one node. */
  readonly machineHolders: Seen<readonly MachineHolder[]>;
  /** How long after its Machine was made a machine may join for the first time. */
  readonly joinWindowMs: number;
  /** An operator lets machines join that prove nothing: in a cluster without Machines, none needs to be enrolled. */
  readonly mayJoinUnenrolled?: boolean | undefined;
  /** The Machine that the requester's bootstrap token was made for, where tokens belong to Machines. */
  readonly tokenMachine: Seen<{ readonly namespace: string; readonly name: string }>;
  /** Node names that the policy's template allows for the Machine, beside its own names. */
  readonly templateNames: readonly string[];
  readonly node: Seen<{ readonly uid: string }>;
  /** The policy that lets no serving certificate be approved by rule. */
  readonly servingLeftBy?: string | undefined;
  /**
   * DNS names and addresses of the machine, from its Machine and the policy's inventory; read for serving certificates.
   */
  readonly ownNames: Seen<readonly string[]>;
  /**
   * Of the names asked for, in canonical form, those that other Machines have or Nodes are called; with whose; read
   * likewise.
   */
  readonly foreignNames: Seen<ReadonlyMap<string, string>>;
  /** Names that only another Node's own status claims, with that Node's name. */
  readonly disputedNames: ReadonlyMap<string, string>;
  readonly limits: LimitFacts;
}

/** Informers fill in seconds, and a change brings the request back by itself: looking again costs next to nothing. */
export const RETRY_UNREAD_MS = 2_000;

export interface HelloFacts {
  readonly object: RequestObject;
  readonly reading: EvidenceReading;
}

export interface ChallengeFacts extends EvidenceFacts {
  readonly challengeKeys: readonly ChallengeKeys[];
  /**
   * The challenged side from the controller's own view: in a hello that request itself, in a proof the hello it names.
   */
  readonly challenged: Reading<Challenged>;
}

export interface ProofFacts extends ChallengeFacts {
  /** `hello.name`, read live. */
  readonly hello: Seen<HelloFacts>;
}
