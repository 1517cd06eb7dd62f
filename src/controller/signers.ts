// Which signers this controller serves, and what differs between Kubernetes' own and ours. Pure.

import {
  API_CLIENT_SIGNER,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
} from "../api/certificates/index.ts";

const BUILT_IN_DOMAIN = "kubernetes.io/";

/** Kubernetes' own signers. Others may serve them too, so a refusal there is written down but never as a denial. */
export function isBuiltInSigner(signerName: string): boolean {
  return signerName.startsWith(BUILT_IN_DOMAIN);
}

export interface SignerChoice {
  /** Serve the signer whose requests prove nothing. Off unless somebody says so. */
  readonly allowInsecure: boolean;
}

/** Those of kube-controller-manager that the v1 API can still ask for, and the insecure one where somebody wants it. */
export function servedSigners({ allowInsecure }: SignerChoice): readonly string[] {
  const builtIn = [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, API_CLIENT_SIGNER];
  return allowInsecure ? [...builtIn, INSECURE_CLIENT_SIGNER] : builtIn;
}

/**
 * kube-controller-manager's default. The insecure signer's certificates live as long: they may not be renewed (seed 000), and a
 * registered node's name cannot be asked for again with a token, so a short life would only lock the node out.
 */
const LONG_LIFETIME_MS = 365 * 24 * 3_600_000;
/**
 * Certificates for which something was proven are renewed by the same proof: a day bounds what a stolen one is worth, and is
 * long enough to outlast a control plane that is down over night.
 */
const ATTESTED_LIFETIME_MS = 24 * 3_600_000;

/** The longest life a certificate of this signer gets where nothing else is configured. */
export function defaultLifetimeMs(signerName: string): number {
  return isBuiltInSigner(signerName) || signerName === INSECURE_CLIENT_SIGNER ? LONG_LIFETIME_MS : ATTESTED_LIFETIME_MS;
}
