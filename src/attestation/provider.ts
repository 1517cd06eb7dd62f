// The node's end of an attestation provider, as join, plugin and manager use it: what it may do, and how evidence for one request
// is made. Evidence travels in the one request (`single`), or in a second one that answers a challenge (`exchange`).

import type { Signer, SubjectAltNameTemplate } from "../kernel/x509/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { KeySeal } from "../platform/pair/index.ts";
import type { Beacon, Claims, FinishedRequest, Protocol, Recipient } from "./evidence/index.ts";

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
  /** Last part of the signer names `cluster.x-k8s.io/kube-apiserver-client-kubelet-<name>` and `…/kubelet-serving-<name>`. */
  readonly name: string;
  /** What it speaks, best first. */
  readonly protocols: readonly Protocol[];
  /** Whether a node may ask for its next certificate with its present one. A provider that proves nothing must say no (seed 000). */
  readonly canRenew: boolean;
  /** Whether a node may ask for a serving certificate. */
  readonly canServe: boolean;
  /** What the platform calls this machine; left out where it has no word for it. */
  providerId?(nodeName: string, signal: AbortSignal): Promise<string>;
  /** How this machine keeps its keys at rest; left out where nothing in it can seal. Opens what it needs for each key. */
  readonly keySeal?: KeySeal | undefined;
}

/** For opening what evidence is made with, such as a TPM. Whoever opened it closes it. */
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
  /** As the provider's, over what is open already: some TPMs serve one client at a time. */
  readonly keySeal?: KeySeal | undefined;
  close(): Promise<void>;
}

interface RenewalOffer {
  readonly beacon: Beacon;
  /** The registers that the last challenge asked for; undefined: none was seen yet. */
  readonly registers: readonly number[] | undefined;
}

export interface RequestInput {
  readonly claims: Claims;
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
