// JoinPolicy v1alpha1: which requests it covers, by what they are admitted, what a serving certificate may name, and whether
// its verdicts count (Enforce) or are only recorded (Shadow). This is the object as it is written; `readJoinPolicy` fills in
// what was left out. deploy/crds/joinpolicies.yaml is the same shape as a schema, and a test holds the two together.

import type { KubeObject } from "../meta/index.ts";

export const POLICY_MODES = ["Shadow", "Enforce"] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/**
 * By what a request for a client certificate is admitted.
 * `Evidence`: the machine proves what it is. `Machine`: its Machine is expected and young, as machine-approver has it.
 * `Access`: a SubjectAccessReview, as kube-controller-manager has it.
 */
export const ADMISSIONS = ["Evidence", "Machine", "Access"] as const;
export type Admission = (typeof ADMISSIONS)[number];

export const MACHINE_NAME_SOURCES = ["InternalDNS", "Hostname", "ExternalDNS", "MachineName", "ProviderID"] as const;
/** What of a Machine must be the name that its node asks for. `ProviderID`: the provider ID in the request is the Machine's. */
export type MachineNameSource = (typeof MACHINE_NAME_SOURCES)[number];

export interface JoinPolicySpec {
  readonly mode: PolicyMode;
  /** Signers whose requests are covered. Default: all that the controller serves. */
  readonly signers?: readonly string[];
  /** Node names that are covered, as an RE2 pattern for the whole name. Default: every name. */
  readonly nodeNames?: string;
  readonly client?: ClientPolicy;
  readonly serving?: ServingPolicy;
  readonly machines?: MachinePolicy;
  readonly limits?: LimitPolicy;
  readonly attestation?: AttestationPolicy;
  /** Rules by id that this policy leaves out; only those that docs/rules.md calls "stricter" can be. */
  readonly disabledRules?: readonly string[];
}

export interface ClientPolicy {
  readonly admit?: Admission;
  /** Users who may ask for a first certificate, beside holders of bootstrap tokens. */
  readonly requesters?: readonly string[];
  /** `Refuse`: only `requesters` may. With `admit: Access` the rights of the requester decide alone. */
  readonly bootstrapTokens?: "Allow" | "Refuse";
  /** How long after its Machine was made a machine may ask for its first certificate. */
  readonly joinWindowSeconds?: number;
  /** By how much the clocks of the clusters may differ. */
  readonly clockSkewSeconds?: number;
  /** The longest life a request may ask for; a longer wish is refused. */
  readonly maxExpirationSeconds?: number;
}

export interface ServingPolicy {
  /** False leaves every serving request to a person. */
  readonly approve?: boolean;
  readonly inventory?: ServingInventory;
  /** A request for exactly the names of the certificate that the kubelet serves with now. */
  readonly renewal?: "Allow" | "Refuse";
  readonly maxNames?: number;
  readonly maxExpirationSeconds?: number;
  readonly evidence?: "Required" | "Optional";
  readonly maxAttestationAgeSeconds?: number;
}

/** What a node's names and addresses are. A name is the node's when any of these says so; all may be used together. */
export interface ServingInventory {
  /** The addresses in the status of the node's Machine. */
  readonly machineAddresses?: boolean;
  /** The addresses in the status of the Node. A kubelet writes them itself, so they prove little. */
  readonly nodeAddresses?: boolean;
  /** Networks in which every address is accepted. */
  readonly ipPrefixes?: readonly string[];
  /** RE2, for the whole DNS name; `{node}` stands for the node's name. */
  readonly dnsPattern?: string;
  /**
   * Look each DNS name up. The addresses of the node's own name, and of names that another entry here vouches for, are the
   * node's; any other name is when it leads to no address but those.
   */
  readonly dns?: boolean;
  readonly allow?: readonly { readonly nodeNames: string; readonly names: readonly string[] }[];
}

export interface MachinePolicy {
  /** The cluster whose Machines count, where several are kept in one place. */
  readonly clusterName?: string;
  readonly namespace?: string;
  readonly nameFrom?: readonly MachineNameSource[];
  /**
   * Node names that a Machine may have beside its own, as an RE2 pattern for the whole name; `{machine}`, `{namespace}` and
   * `{cluster}` stand for the Machine's. For attestation.
   */
  readonly nodeNameTemplate?: string;
}

export interface LimitPolicy {
  /** Of one requester. Default: 100 more than there are Machines or Nodes. */
  readonly pendingPerRequester?: number;
  /** NodeIdentities made in an hour. */
  readonly newIdentitiesPerHour?: number;
}

/** What the evidence has to be; docs/guides/attestation.md says what each word means. */
export interface AttestationPolicy {
  readonly providers?: readonly string[];
  readonly tpm?: TpmPolicy;
  readonly challengeSeconds?: number;
  readonly sealing?: "Required" | "Optional";
  readonly renewalBeacon?: boolean;
  readonly ekAnnotation?: "Pem" | "Digest";
  /**
   * A renewal with the certificate before the current one, an hour or more after that was given: two hold one identity, or a
   * write was lost. `Report`: by a full exchange, with an Event. `Refuse`: not at all.
   */
  readonly previousCredential?: "Report" | "Refuse";
}

export interface TpmPolicy {
  /** SHA-256 of endorsement keys (PKIX), lower-case hex: one of ours, not which. */
  readonly endorsementKeys?: readonly string[];
  readonly deniedEndorsementKeys?: readonly string[];
  /** PEM of the makers' CAs. */
  readonly roots?: string;
  readonly intermediates?: string;
  /** PEM of the makers' revocation lists (`X509 CRL`). None is ever fetched. */
  readonly revocationLists?: string;
  readonly certificateValidity?: "Enforce" | "Report";
  readonly firstUse?: "Allow" | "Refuse";
  /** What a TPM's clock that went back means. `Warn`: an Event; the exchange goes on. */
  readonly clockRegression?: "Refuse" | "Warn";
  readonly pcrs?: PcrPolicy;
}

export interface PcrPolicy {
  readonly rule?: "Record" | "Match" | "PinFirst";
  readonly select?: readonly number[];
  /** With `Match`: the values that are allowed, lower-case hex. */
  readonly allowed?: readonly { readonly index: number; readonly values: readonly string[] }[];
}

export interface PolicyCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface JoinPolicyStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly PolicyCondition[];
}

export interface JoinPolicy extends KubeObject {
  spec: JoinPolicySpec;
  status?: JoinPolicyStatus;
}
