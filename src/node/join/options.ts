// What a join takes and gives.

import type { BootstrapToken } from "../../api/bootstrap/index.ts";
import { ATTESTED_CLIENT_SIGNER_PREFIX } from "../../api/certificates/index.ts";
import type { NodeAddress } from "../../api/core/index.ts";
import type { Recipient } from "../../attestation/evidence/index.ts";
import type { NodeAttestationProvider } from "../../attestation/provider.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { DiscoveryMethod } from "../discovery/index.ts";
import type { JoinStep } from "./steps.ts";

/** With what the certificate is asked for, where that is not the token that found the cluster. */
export type BootstrapCredential =
  | { readonly kind: "token"; readonly token: BootstrapToken }
  | { readonly kind: "kubeconfig"; readonly path: string };

export interface JoinOptions {
  /** Left out: the cluster of the bootstrap kubeconfig, or of the join that was begun in the directory. */
  readonly discovery?: DiscoveryMethod | undefined;
  /** Default: the token of the discovery, the identity in its document, or that of the join that was begun. */
  readonly bootstrap?: BootstrapCredential | undefined;
  readonly nodeName: string;
  /** Holds what places.ts lists; made when missing, for its owner only. */
  readonly directory: string;
  readonly provider: NodeAttestationProvider;
  /** Where it came from, if it is not one of the product's own. */
  readonly providerPackage?: string | undefined;
  /** What the platform calls this machine. Default: what the provider says, else a name made of the node's. */
  readonly providerId?: string | undefined;
  /** Default: the pin of the cluster's CA. */
  readonly evidenceCluster?: string | undefined;
  readonly recipient?: Recipient | undefined;
  /**
   * The key is kept sealed by the provider's TPM, and both kubeconfigs call the plugin, which opens it: nobody who reads the pair
   * itself could. Not the default for just that reason: a join makes the store that a kubelet or the daemon may read.
   */
  readonly sealKeys?: boolean | undefined;
  /** The provider's own flags at its plugin, such as where the TPM is; a switch has an empty value. */
  readonly providerFlags?: Readonly<Record<string, string>> | undefined;
  /** Default: the provider's signer. */
  readonly signerName?: string | undefined;
  /** CAs of client certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
  /** Leaves the bootstrap kubeconfig for the plugin, which can then start over by itself when all else has ended. */
  readonly keepBootstrap?: boolean | undefined;
  /** Left out: no Node object is made; a kubelet will. */
  readonly registerNode?: { readonly addresses: readonly NodeAddress[] } | undefined;
  /** How the kubelet finds the plugin. Default: `kubelet-authenticator-<provider>` in its PATH. */
  readonly execCommand?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** For SSL_CERT_FILE and SSL_CERT_DIR, HTTPS_PROXY and NO_PROXY, and PATH, where the plugin is looked for. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly readStdin?: (() => Promise<string>) | undefined;
  /** For all of it, from finding the cluster to the Node object. Default: five minutes for each part. */
  readonly limitMs?: number | undefined;
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
  /** What the kubeconfigs call, and where PATH leads for it; no path: nowhere on this one. */
  readonly plugin: { readonly command: string; readonly path?: string | undefined };
  /** True when a valid certificate was there already and nothing was requested. */
  readonly wasJoined: boolean;
}

export function signerNameOf({ signerName, provider }: Pick<JoinOptions, "signerName" | "provider">): string {
  return signerName ?? `${ATTESTED_CLIENT_SIGNER_PREFIX}${provider.name}`;
}
