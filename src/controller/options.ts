// What a caller gives the controller.

import type { Clock } from "../platform/clock/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import type { Log, Metrics } from "../platform/report/index.ts";
import type { AuditTrail } from "./audit/index.ts";
import type { LocationSource } from "./clusterinfo/index.ts";
import type { EndorsementKeySource, ProviderVerifier } from "./judging/exchange/world.ts";
import type { ElectionOptions } from "./leadership.ts";
import type { ClusterName } from "./machines/index.ts";
import type { Authorities, AuthorityPems } from "./signing/index.ts";

export interface WorldOptions {
  readonly client: KubeClient;
  /** One CA for all requests, or whatever says which one signs. */
  readonly ca: AuthorityPems | Authorities;
  readonly clock: Clock;
  /** Cryptographic: serial numbers come from it. */
  readonly random: (count: number) => Uint8Array;
  readonly log: Log;
  /** Which replica this is, for Events and the lease. */
  readonly replica: string;
  /**
   * Default: Kubernetes' own for nodes and API clients, those of the TPM provider and of the installed ones, and the
   * insecure one where `allowInsecure` is set.
   */
  readonly signers?: readonly string[] | undefined;
  /** Without `signers`. */
  readonly allowInsecure?: boolean | undefined;
  /** The longest life of a certificate. Default: a year for Kubernetes' own signers, a day for ours. */
  readonly lifetimeMs?: number | undefined;
  /** `management` is the management cluster, where there is one: Machines are read there too. */
  readonly attestation?: AttestationSettings | undefined;
  /** Which cluster's requests these are: Machines and identities of others never match. Left out: there is only one. */
  readonly cluster?: ClusterName | undefined;
  /**
   * URL of the API server of the requests: its host is no node's to serve under. Left out: only what it says of itself.
   */
  readonly server?: string | undefined;
  /** Where cluster-info shall say the cluster is. Left out: only its signatures are ours. */
  readonly clusterInfo?: LocationSource | undefined;
  /** Ids of stricter rules that do not hold here (docs/rules.md). Fault `bad-config` for any other. */
  readonly disabledRules?: readonly string[] | undefined;
  /** Left out: there is no other replica. */
  readonly election?: ElectionOptions | undefined;
  readonly metrics?: Metrics | undefined;
  /** Left out: what is decided goes to the log only. */
  readonly audit?: { readonly trail: AuditTrail; readonly namespace: string } | undefined;
}

/** How machines prove what they are, as far as it is not a policy's matter. */
export interface AttestationSettings {
  /** Where NodeIdentities and challenge keys are. Default: the cluster of the requests. */
  readonly management?: KubeClient | undefined;
  /** Of the challenge keys. Default: countersign-system. */
  readonly namespace?: string | undefined;
  /** Whose identities these are, where one management cluster has those of several clusters. */
  readonly clusterName?: string | undefined;
  /** Of the Cluster in the management cluster, for registration. Left out: any. */
  readonly clusterNamespace?: string | undefined;
  /** Ids of the cluster instead of the pins of its CAs: clusters that share a CA need one. */
  readonly clusterIds?: readonly string[] | undefined;
  readonly endorsementKeySources?: readonly EndorsementKeySource[] | undefined;
  /** Of installed providers. Their signers are served, unless `signers` says which are. */
  readonly verifiers?: readonly ProviderVerifier[] | undefined;
  /** The API server has the admission guard built in. */
  readonly hasBuiltInGuard?: boolean | undefined;
}
