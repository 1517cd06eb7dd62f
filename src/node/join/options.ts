// What a join takes and gives.

import type { BootstrapToken } from "../../api/bootstrap/index.ts";
import { ATTESTED_CLIENT_SIGNER_PREFIX, isNodeName, NODE_NAME_MAX_CHARACTERS } from "../../api/certificates/index.ts";
import type { NodeAddress } from "../../api/core/index.ts";
import type { Recipient } from "../../attestation/evidence/index.ts";
import type { NodeAttestationProvider } from "../../attestation/provider.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { DiscoveryMethod } from "../discovery/index.ts";

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
   * The key is kept sealed by the provider's TPM, and both kubeconfigs call the plugin, which opens it. Not the
   * default, because a kubelet or a daemon could not read the pair itself then.
   */
  readonly sealKeys?: boolean | undefined;
  /** The provider's own flags at its plugin, such as where the TPM is; a switch has an empty value. */
  readonly providerFlags?: Readonly<Record<string, string>> | undefined;
  /** Default: the provider's signer. */
  readonly signerName?: string | undefined;
  /** CAs of client certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
  /**
   * Leaves the bootstrap kubeconfig for the plugin, which can then start again by itself after everything has expired.
   */
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

/** The steps of a join in their order. Each is reported when it is done, never before. */
export const JOIN_STEPS = [
  /** cluster-info was read and carries the token's signature. */
  "discovered",
  /** The same document came over TLS that the cluster's CA vouches for. */
  "trusted",
  /** The controller's challenge was answered by what this machine proves itself with; the detail names the provider. */
  "attested",
  /** The certificate request is at the API server. */
  "requested",
  "approved",
  "signed",
  /** Checked, on disk and current. */
  "stored",
  /** The Node object exists. */
  "registered",
] as const;

export type JoinStep = (typeof JOIN_STEPS)[number];

/** One limit for the whole join: the time that finding the cluster took is not available for the certificate. */
export interface TimedJoin extends JoinOptions {
  /** Undefined: no limit was given. */
  leftMs(): number | undefined;
}

export function startTime(options: JoinOptions): TimedJoin {
  const { clock, limitMs } = options;
  const startedMs = clock.now();
  return {
    ...options,
    leftMs: () => (limitMs === undefined ? undefined : Math.max(limitMs - (clock.now() - startedMs), 0)),
  };
}

/** The node name as it was typed. Fault `bad-config`. */
export function parseNodeName(text: string): string {
  if (isNodeName(text)) return text;
  const shown = JSON.stringify(text.slice(0, NODE_NAME_MAX_CHARACTERS));
  const form = `a DNS name of lower-case letters, digits, "-" and ".", at most ${NODE_NAME_MAX_CHARACTERS} characters`;
  throw new Fault("bad-config", `node name ${shown} is not ${form}`);
}
