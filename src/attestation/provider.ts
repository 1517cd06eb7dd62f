// The contract of an attestation provider, at both ends. The machine's end makes evidence for one request, in that
// request (`single`) or in a second one that answers a challenge (`exchange`). The controller's end adds its facts and
// rules to those of every request and says what is challenged and pinned; it never writes:
// controller/judging/exchange/run.ts does. The TPM provider, the insecure one and the adapter for installed packages
// (sdk/) implement both.

import type { CertificateSigningRequest } from "../api/certificates/index.ts";
import type { NodeIdentityStatus } from "../api/countersign/index.ts";
import type { Judgement, Seen } from "../kernel/outcome/index.ts";
import type { Signer, SubjectAltNameTemplate } from "../kernel/x509/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { KeySeal } from "../platform/pair/index.ts";
import type { Beacon, ChallengeKeys, FinishedRequest, Protocol, Recipient, Statement, Step } from "./evidence/index.ts";
import type { Alarm, ChallengeFacts, HelloFacts, ProofFacts } from "./rules/index.ts";

export type NodeAttestationProvider = SingleProvider | ExchangeProvider;

export interface SingleProvider extends ProviderFacts {
  readonly kind: "single";
  open(options: OpenOptions): Promise<SingleProver>;
}

export interface ExchangeProvider extends ProviderFacts {
  readonly kind: "exchange";
  open(options: OpenOptions): Promise<ExchangeProver>;
}

interface ProviderFacts {
  /**
   * Last part of the signer names `cluster.x-k8s.io/kube-apiserver-client-kubelet-<name>` and
   * `…/kubelet-serving-<name>`.
   */
  readonly name: string;
  /** What it speaks, best first. */
  readonly protocols: readonly Protocol[];
  /**
   * Whether a node may ask for its next certificate with its present one. *Cluster API Kubelet Authentication* forbids
   * it to a provider that proves nothing.
   */
  readonly canRenew: boolean;
  /** Whether a node may ask for a serving certificate. */
  readonly canServe: boolean;
  /** What the platform calls this machine; left out where it has no name for it. */
  providerId?(nodeName: string, signal: AbortSignal): Promise<string>;
  /**
   * How this machine keeps its keys at rest; left out where nothing in it can seal. Opens what it needs for each key.
   */
  readonly keySeal?: KeySeal | undefined;
}

/** For opening what evidence is made with, such as a TPM. The caller closes it. */
export interface OpenOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface SingleProver {
  single(input: RequestInput): Promise<FinishedRequest>;
  close(): Promise<void>;
}

export interface ExchangeProver {
  hello(input: RequestInput): Promise<FinishedRequest>;
  /** Fault `untrusted` where the challenge cannot be answered here: another hello is then tried, a few times. */
  proof(input: RequestInput, hello: SentHello): Promise<FinishedRequest>;
  /** A renewal of one request, by the cluster's beacon. Absent where the provider knows none. */
  renewal?(input: RequestInput, offer: RenewalOffer): Promise<FinishedRequest>;
  /** As the provider's, on what is open already: some TPMs serve one client at a time. */
  readonly keySeal?: KeySeal | undefined;
  close(): Promise<void>;
}

interface RenewalOffer {
  readonly beacon: Beacon;
  /** The PCRs that the last challenge asked for; undefined: none was seen yet. */
  readonly pcrs: readonly number[] | undefined;
}

export interface RequestInput {
  readonly statement: Statement;
  readonly protocol: Protocol;
  readonly key: Signer;
  /** For a serving certificate. */
  readonly names?: SubjectAltNameTemplate | undefined;
  /** Where the bootstrap data carries one, evidence is sealed to it. */
  readonly recipient?: Recipient | undefined;
}

/** The challenged request, as the node itself sent and saw it. */
export interface SentHello {
  readonly name: string;
  readonly uid: string;
  readonly request: Uint8Array;
  /** The challenge annotation's value. */
  readonly annotation: string;
}

/** The controller's end. */
export interface Provider {
  readonly name: string;
  readonly versions: readonly number[];
  /** How each step of an envelope is taken; a step that is left out is refused. */
  readonly steps: Readonly<Partial<Record<Step, HelloStep | ProofStep>>>;
  /** It proves nothing: admitted only where a policy or the served signers name it, and then also without a Machine. */
  readonly provesNothing?: true | undefined;
}

/** A request with all that a provider may need to add its facts. */
export interface Asked {
  readonly request: SeenRequest;
  /** The request that a proof answers. */
  readonly hello: Seen<SeenRequest>;
  readonly signal: AbortSignal;
  /** Those known here; read again where the one with this id is not among them. */
  challengeKeys(kid?: string): Promise<readonly ChallengeKeys[]>;
}

export interface SeenRequest extends HelloFacts {
  readonly csr: CertificateSigningRequest;
}

/** A request for a challenge. Methods, so that a step with facts of its own is a step. */
export interface HelloStep<Facts extends ChallengeFacts = ChallengeFacts> {
  readonly kind: "hello";
  gather(common: ChallengeFacts, asked: Asked): Promise<Facts>;
  judge(facts: Facts): ProviderJudgement;
  /** What is written where every rule holds. */
  challenge(facts: Facts, making: ChallengeMaking): PlannedChallenge;
}

export interface ChallengeMaking {
  readonly key: ChallengeKeys;
  randomBytes(count: number): Uint8Array;
}

export interface PlannedChallenge {
  /** The annotation's text. */
  readonly challenge: string;
  /** Other annotations that the request gets with it. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly expiresMs: number;
}

/** A request that proves: a `proof` answers a challenge, a `single` stands alone. */
export interface ProofStep<Facts extends ProofFacts = ProofFacts> {
  readonly kind: "proof" | "single";
  gather(common: ProofFacts, asked: Asked): Promise<Facts>;
  /** Until the challenge is used up. Anyone can send a request that fails here, so a refusal leaves the hello alone. */
  judge(facts: Facts): ProviderJudgement;
  /** Asked where those rules hold; left out where they are the whole proof. */
  verify?(facts: Facts, signal: AbortSignal): Promise<ProviderAnswer>;
  /** After the challenge is used up, by live reads. Left out: `judge` is asked by live reads. */
  judgeOwned?(facts: Facts): ProviderJudgement;
  /** What the identity holds the node to from now on; exchanges and certificates are added by the controller. */
  pins(facts: Facts, proven: Attested | undefined): NodeIdentityStatus;
  /** Label of the key that only one live identity may bear; left out: there is none. */
  keyLabel?(facts: Facts): string | undefined;
  /** What is let pass and must be told. */
  alarms(facts: Facts): readonly Alarm[];
}

export interface ProviderJudgement extends Judgement {
  /** For the audit trail alone: what readers of the request must not learn. */
  readonly audited?: Readonly<Record<string, unknown>> | undefined;
}

export interface Attested {
  readonly kind: "Attested";
  readonly level: string;
  readonly pins: Readonly<Record<string, string>>;
}

export type ProviderAnswer =
  | Attested
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "Waiting"; readonly reason: string; readonly message: string; readonly retryAfterMs: number };
