// The controller's end of a provider. It may ask its platform in `gather`, within a time limit, and then judges without
// I/O: the same question and facts give the same answer, now and in a test. It never sees challenge keys and never
// acts.
import type { ContractVersion, EvidenceRequest, Freshness, JsonObject } from "./evidence.ts";

/** The Machine that waits for the node, as far as a provider may know it. */
export interface MachineView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly providerId: string | undefined;
  readonly createdMs: number;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
}

export interface Question {
  readonly nowMs: number;
  readonly request: EvidenceRequest;
  /** What `attest` returned on the machine, unchecked. */
  readonly evidence: JsonObject;
  /** What `hello` returned, with a challenge. */
  readonly hello: JsonObject | undefined;
  /** The requester, as the API server states it. */
  readonly requester: { readonly username: string; readonly groups: readonly string[] };
  /** Undefined in a cluster without Machines. */
  readonly machine: MachineView | undefined;
  /** What was pinned when this node was attested before. */
  readonly pins: Readonly<Record<string, string>> | undefined;
  /** DNS names and IP addresses asked for, with purpose `serving`. */
  readonly names: readonly string[];
}

export type Answer =
  | {
      readonly kind: "Attested";
      /** The strength of the proof in one word, for people: `Instance`, `Key`. Of the form of a reason. */
      readonly level: string;
      /**
       * Written at the first exchange; every later one must repeat it. One to sixteen, each 1 to 512 printable
       * characters.
       */
      readonly pins: Readonly<Record<string, string>>;
    }
  /**
   * `reason`: one word for what was seen, as `DocumentInvalid` (`[A-Z][A-Za-z0-9]{2,62}`); it becomes a condition, an
   * Event and a metric.
   */
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "Waiting"; readonly reason: string; readonly message: string; readonly retryAfterMs: number };

export interface Verifier<Facts = unknown> {
  readonly name: string;
  readonly contractVersion: ContractVersion;
  readonly versions: readonly number[];
  readonly freshness: Freshness;
  /** With `time-limited`: the age at which a proof expires; at most fifteen minutes. */
  readonly maxProofAgeMs?: number;
  /** How long `gather` may take; at most ten seconds. */
  readonly gatherLimitMs: number;
  /** All that the judges need from the platform. Ends when the signal aborts. */
  gather(question: Question, options: { readonly signal: AbortSignal }): Promise<Facts>;
  /** Pure. */
  verifyClient(question: Question, facts: Facts): Answer;
  /** Pure; every name must belong to the machine. */
  verifyServing(question: Question, facts: Facts): Answer;
  /**
   * Pure: the name of the Machine that the evidence is of, where the provider ID alone does not tell. Asked after the
   * judges: if it is not `question.machine`, the request is refused. Undefined: the evidence names none.
   */
  machineName?(question: Question, facts: Facts): string | undefined;
}

/** Says which endorsement key the TPM of a Machine has: vCenter, a cloud's API, a bare-metal inventory. */
export interface EndorsementKeySource {
  readonly name: string;
  /**
   * PEM (`PUBLIC KEY` or `CERTIFICATE`) or `sha256:<hex>` of the key as SubjectPublicKeyInfo; undefined where the
   * platform knows the machine and it has no TPM. Throws when the platform cannot be asked: the node then waits, and is
   * never accepted on weaker proof.
   */
  endorsementKeyOf(machine: MachineView, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
}
