// What every part of attestation is given: the two clusters, the copies that answer at once, and one look at one
// request.

import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import type { Node } from "../../../api/core/index.ts";
import type { Envelope } from "../../../attestation/evidence/index.ts";
import type { Provider } from "../../../attestation/provider.ts";
import type { SdkKeySource, SdkVerifier } from "../../../attestation/sdk/verifier.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { EventRecorder, KubeClient } from "../../../platform/kube/index.ts";
import type { Counter, Log } from "../../../platform/report/index.ts";
import type { ChallengeKeyStore } from "../../identities/challenge-keys.ts";
import type { Identities } from "../../identities/known.ts";
import type { FloodControl } from "../../identities/limits.ts";
import type { TokenMachines } from "../../identities/token-machine.ts";
import type { ExpectedMachines } from "../../machines/index.ts";
import type { Act } from "../act.ts";
import type { Look, MachineInventory, PolicyCover } from "../look.ts";
import type { ReadRequest, RequestReader } from "../reading.ts";

/**
 * Says which endorsement key a Machine has: a platform's inventory. One that should know and cannot be asked is waited
 * for.
 */
export type EndorsementKeySource = SdkKeySource;

/** The verifier of a provider that was installed: asked when every rule that is not its own matter holds. */
export type ProviderVerifier = SdkVerifier;

export interface AttestationWorld {
  /** The workload cluster: requests and Nodes. */
  readonly client: KubeClient;
  /** Where NodeIdentities and challenge keys are; the workload cluster itself where there is no other. */
  readonly management: KubeClient;
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
  readonly machines: ExpectedMachines;
  readonly policies: PolicyCover;
  readonly readRequest: RequestReader["evidence"];
  /** From the copy; absent may only be unseen. */
  readonly getRequest: (name: string) => CertificateSigningRequest | undefined;
  readonly getNode: (name: string) => Node | undefined;
  /** Nodes that have this name or address, in canonical form; from the copy. */
  readonly nodesNamed: (name: string) => readonly Node[];
  /** Of names and addresses: Machines that have them and are not the node's own. */
  readonly machineOwners: MachineInventory["ownersOf"];
  /** Hellos whose challenge is not answered yet, of one requester or, without one, of all. */
  readonly openHellos: (username?: string) => readonly CertificateSigningRequest[];
  readonly countOpenHellos: () => number;
  readonly machineOfToken: TokenMachines;
  /** The ids that were given, else the pins of every CA in force. */
  readonly clusterIds: (csr: CertificateSigningRequest) => readonly string[];
  readonly clusterName: string | undefined;
  /** Of the controller's own objects in the management cluster. */
  readonly namespace: string;
  /**
   * How such an object is called: where one management cluster has those of several clusters, each cluster has its own.
   */
  readonly nameInManagement: (name: string) => string;
  readonly servedSigners: readonly string[];
  /** In the order in which their versions are told. */
  readonly providers: readonly Provider[];
}

/** One look at one request with evidence. */
export interface EvidenceLook extends Look, ReadRequest {
  /** Where it can be read. */
  readonly envelope: Envelope | undefined;
}
