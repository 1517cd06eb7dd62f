// Which signers this controller serves, and what differs between Kubernetes' own and ours. Pure.

import {
  API_CLIENT_SIGNER,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  purposeOf,
  signersOfProvider,
} from "../api/certificates/index.ts";
import type { Policy } from "../api/countersign/index.ts";

const BUILT_IN_DOMAIN = "kubernetes.io/";

/** Kubernetes' own signers. Others may serve them too, so a refusal there is written down but never as a denial. */
export function isBuiltInSigner(signerName: string): boolean {
  return signerName.startsWith(BUILT_IN_DOMAIN);
}

interface SignerChoice {
  /** Serve the signer whose requests prove nothing. Default: off. */
  readonly allowInsecure: boolean;
  /** Names of installed providers. */
  readonly providers?: readonly string[] | undefined;
}

const TPM_SIGNERS: readonly string[] = signersOfProvider("tpm");

/**
 * Those of kube-controller-manager that the v1 API can still ask for, those of the TPM provider and of installed ones,
 * and the insecure one where it is allowed.
 */
export function servedSigners({ allowInsecure, providers = [] }: SignerChoice): readonly string[] {
  const installed = providers.flatMap(signersOfProvider);
  const always = [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, API_CLIENT_SIGNER, ...TPM_SIGNERS, ...installed];
  return allowInsecure ? [...always, INSECURE_CLIENT_SIGNER] : always;
}

/**
 * kube-controller-manager's default. The insecure signer's certificates live as long: they may not be renewed (*Cluster
 * API Kubelet Authentication*), and a registered node's name cannot be asked for again with a token, so a short life
 * would only lock the node out.
 */
const LONG_LIFETIME_MS = 365 * 24 * 3_600_000;
/**
 * Certificates for which something was proven are renewed by the same proof: a day bounds what a stolen one is worth,
 * and is long enough to outlast a control plane that is down over night.
 */
const ATTESTED_LIFETIME_MS = 24 * 3_600_000;

export interface LifetimeBounds {
  /** Of the operator, for all signers; left out, each signer has its own. */
  readonly configuredMs?: number | undefined;
  /** The policy in Enforce that covers the request. */
  readonly policy?: Policy | undefined;
}

/**
 * The longest life a certificate of this signer gets. A policy's bound is one for certificates, not for wishes: a
 * request that names no life must not live longer than one that does.
 */
export function longestLifeMs(signerName: string, { configuredMs, policy }: LifetimeBounds): number {
  const ownMs = configuredMs ?? defaultLifetimeMs(signerName);
  const maxSeconds = policy === undefined ? undefined : boundOf(policy, signerName);
  return maxSeconds === undefined ? ownMs : Math.min(ownMs, maxSeconds * 1_000);
}

function defaultLifetimeMs(signerName: string): number {
  return isBuiltInSigner(signerName) || signerName === INSECURE_CLIENT_SIGNER ? LONG_LIFETIME_MS : ATTESTED_LIFETIME_MS;
}

/** Policies are about nodes; how long people's certificates live is not theirs to say. */
function boundOf({ client, serving }: Policy, signerName: string): number | undefined {
  const purpose = purposeOf(signerName);
  if (purpose === "ApiClient") return undefined;
  return purpose === "NodeServing" ? serving.maxExpirationSeconds : client.maxExpirationSeconds;
}
