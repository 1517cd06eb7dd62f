// What a join takes and gives.

import { join } from "node:path";
import type { NodeAddress } from "../../api/core/index.ts";
import type { NodeAttestationProvider } from "../../attestation/providers/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { JoinStep } from "./steps.ts";

export interface JoinOptions {
  /** Host, host:port, IPv6 address or https URL of an API server. */
  readonly endpoint: string;
  /** `<id>.<secret>`. Its secret checks cluster-info and is sent only to the server that cluster-info proved. */
  readonly token: string;
  readonly nodeName: string;
  /** Holds `kubeconfig`, `kubelet-exec.kubeconfig` and `pki/`; made when missing, for its owner only. */
  readonly directory: string;
  readonly provider: NodeAttestationProvider;
  /** Default: the provider's signer. */
  readonly signerName?: string | undefined;
  /** `sha256:<hex>` of CA keys; with none, whoever knows the token can pose as the cluster. */
  readonly caPins?: readonly string[] | undefined;
  /** CAs of client certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
  /** Left out: no Node object is made; a kubelet will. */
  readonly registerNode?: { readonly addresses: readonly NodeAddress[] } | undefined;
  /** How the kubelet finds the plugin. Default: `kubelet-authenticator-<provider>` in its PATH. */
  readonly execCommand?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly discoveryLimitMs?: number | undefined;
  readonly requestLimitMs?: number | undefined;
  readonly progress?: ((step: JoinStep, detail?: string) => void) | undefined;
  /** What is being waited for, whenever that changes. */
  readonly waiting?: ((why: string) => void) | undefined;
}

export interface JoinResult {
  readonly nodeName: string;
  readonly server: string;
  readonly caPem: string;
  readonly kubeconfigPath: string;
  readonly execKubeconfigPath: string;
  readonly certificatePath: string;
  readonly notAfterMs: number;
  /** True when a valid certificate was there already and nothing was requested. */
  readonly wasJoined: boolean;
}

/** A provider's client signer is this and the provider's name (seed 000). */
const CLIENT_SIGNER_PREFIX = "cluster.x-k8s.io/kube-apiserver-client-kubelet-";

export function signerNameOf({ signerName, provider }: JoinOptions): string {
  return signerName ?? `${CLIENT_SIGNER_PREFIX}${provider.name}`;
}

export function kubeconfigPathOf({ directory }: JoinOptions): string {
  return join(directory, "kubeconfig");
}
