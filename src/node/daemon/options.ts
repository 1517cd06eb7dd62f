// The options of `countersign node run`.

import type { Clock } from "../../platform/clock/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { AttestationSettings, BootPlaces, ServingNames } from "../certificates/index.ts";

export interface ServingOptions {
  readonly signerName: string;
  /** Called repeatedly; other names mean another certificate. */
  readonly names: () => ServingNames | undefined;
}

export interface StatusOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Serve with the node's serving certificate; needs `serving`. */
  readonly tls: boolean;
}

/** What a join left of the ways to its cluster. */
export interface DiscoveryPlaces {
  readonly cachePath: string;
  /** Those that the join wrote; the cluster's entry in them follows the cluster. */
  readonly kubeconfigs: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface DaemonOptions extends BootPlaces, Omit<AttestationSettings, "evidenceCluster"> {
  readonly signerName: string;
  /** Default: the pin of the cluster's CA. */
  readonly evidenceCluster?: string | undefined;
  /** CAs of nodes' certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
  /** Keys are sealed by the provider's TPM from now on. Left out: as the present pair's is. */
  readonly sealKeys?: boolean | undefined;
  /** False: the feature is switched off; the credentials that are there are used and watched, nothing is asked for. */
  readonly rotate: boolean;
  readonly serving?: ServingOptions | undefined;
  readonly status?: StatusOptions | undefined;
  /** Left out: where the cluster is stays what the kubeconfig says. */
  readonly discovery?: DiscoveryPlaces | undefined;
  /** How long to run without a valid certificate before the service manager gets its turn. Default: five minutes. */
  readonly startLimitMs?: number | undefined;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** klog's numbers: 2 for diagnostics, 4 for the loops. */
  readonly verbosity: number;
  readonly signal: AbortSignal;
  /** Told once everything runs. */
  readonly onStarted?: ((status: { readonly port: number | undefined }) => void) | undefined;
}
