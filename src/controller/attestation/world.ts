// What every part of attestation is given: the two clusters, the copies that answer at once, and one look at one request.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import type { CanonicalObject, Envelope } from "../../attestation/evidence/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { EventRecorder, KubeClient } from "../../platform/kube/index.ts";
import type { Counter, Log } from "../../platform/report/index.ts";
import type { Act, MachineInventory, PolicyCover } from "../approval/index.ts";
import type { ExpectedMachines } from "../machines/index.ts";
import type { ChallengeKeyStore } from "./challenge-keys.ts";
import type { Guard } from "./guard/index.ts";
import type { Identities, TokenMachines } from "./known/index.ts";
import type { ChallengePace, Crowd, JunkCount, Overflow } from "./limits/index.ts";
import type { ReadRequest, RequestReader } from "./requests.ts";

/** Says which endorsement key a Machine has: a platform's inventory. One that should know and cannot be asked is waited for. */
export interface EndorsementKeySource {
  readonly name: string;
  /** SHA-256 of the key as SubjectPublicKeyInfo, lower-case hex. */
  keyOf(machine: Machine, signal: AbortSignal): Promise<Seen<string>>;
}

/** What a provider's verifier is asked, as the SDK has it. */
export interface ProviderQuestion {
  readonly nowMs: number;
  readonly request: {
    readonly nodeName: string;
    readonly providerId: string;
    readonly intent: "join" | "renew";
    readonly purpose: "client" | "serving";
    readonly signerName: string;
    readonly cluster: string;
    readonly protocol: string;
    readonly publicKey: Uint8Array;
    readonly digest: Uint8Array;
  };
  readonly evidence: CanonicalObject;
  readonly hello: CanonicalObject | undefined;
  readonly requester: { readonly username: string; readonly groups: readonly string[] };
  readonly machine: Machine | undefined;
  readonly pins: Readonly<Record<string, string>> | undefined;
  readonly names: readonly string[];
}

export type ProviderAnswer =
  | { readonly kind: "Attested"; readonly level: string; readonly pins: Readonly<Record<string, string>> }
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "Waiting"; readonly reason: string; readonly message: string; readonly retryAfterMs: number };

/** The verifier of a provider that was installed: asked when every rule that is not its own matter holds. */
export interface ProviderVerifier {
  readonly name: string;
  readonly versions: readonly number[];
  readonly freshness: "challenge" | "time-limited";
  ask(question: ProviderQuestion, options: { readonly signal: AbortSignal }): Promise<ProviderAnswer>;
}

/** Protocol 7.1: what keeps a flood of requests from becoming one of writes and objects. */
export interface FloodControl {
  readonly pace: ChallengePace;
  readonly crowd: Crowd;
  readonly junk: JunkCount;
  readonly overflow: Overflow;
  /** Requests that were deleted instead of being told why. */
  readonly dropped?: Counter | undefined;
}

export interface AttestationWorld {
  /** The workload cluster: requests and Nodes. */
  readonly client: KubeClient;
  /** Where NodeIdentities and challenge keys are; the workload cluster itself where there is no other. */
  readonly home: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly act: Act;
  /** For what is told of objects beside a verdict. */
  readonly events: Pick<EventRecorder, "record">;
  /** Signs that two hold one identity, by reason. */
  readonly alarms?: Counter | undefined;
  readonly limits: FloodControl;
  readonly keys: ChallengeKeyStore;
  readonly identities: Identities;
  readonly guard: Guard;
  readonly machines: ExpectedMachines;
  readonly policies: PolicyCover;
  readonly readRequest: RequestReader;
  /** From the copy; absent may only be unseen. */
  readonly getRequest: (name: string) => CertificateSigningRequest | undefined;
  readonly getNode: (name: string) => Node | undefined;
  /** Nodes that have this name or address, in canonical form; from the copy. */
  readonly nodesNamed: (name: string) => readonly Node[];
  /** Of names and addresses: Machines that have them and are not the node's own. */
  readonly machineOwners: MachineInventory["ownersOf"];
  /** Hellos with a challenge that nobody answered yet, of one requester or, without one, of all. */
  readonly openHellos: (username?: string) => readonly CertificateSigningRequest[];
  readonly countOpenHellos: () => number;
  readonly machineOfToken: TokenMachines;
  /** Pins of every CA in force, and the explicit id. */
  readonly clusterIds: (csr: CertificateSigningRequest) => readonly string[];
  readonly clusterName: string | undefined;
  /** Of the controller's own objects at home. */
  readonly namespace: string;
  /** How such an object is called: where one home has those of several clusters, each cluster has its own. */
  readonly nameAtHome: (name: string) => string;
  readonly servedSigners: readonly string[];
  readonly sources: readonly EndorsementKeySource[];
  /** Of providers beside tpm and insecure. */
  readonly verifiers: readonly ProviderVerifier[];
}

/** One look at one request. */
export interface Look extends ReadRequest {
  readonly policy: Policy | undefined;
  /** Where it can be read. */
  readonly envelope: Envelope | undefined;
  readonly signal: AbortSignal;
}
