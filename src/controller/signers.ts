// Which signers this controller serves, and what differs between Kubernetes' own and ours. Pure.

import { INSECURE_CLIENT_SIGNER, KUBELET_CLIENT_SIGNER } from "../api/certificates/index.ts";

const BUILT_IN_DOMAIN = "kubernetes.io/";

/** Kubernetes' own signers. Others may serve them too, so a refusal there is written down but never as a denial. */
export function isBuiltInSigner(signerName: string): boolean {
  return signerName.startsWith(BUILT_IN_DOMAIN);
}

export interface SignerChoice {
  /** Serve the signer whose requests prove nothing. Off unless somebody says so. */
  readonly allowInsecure: boolean;
}

export function servedClientSigners({ allowInsecure }: SignerChoice): readonly string[] {
  return allowInsecure ? [KUBELET_CLIENT_SIGNER, INSECURE_CLIENT_SIGNER] : [KUBELET_CLIENT_SIGNER];
}

/** kube-controller-manager's default, because kubelets and operators expect it of this signer. */
const BUILT_IN_LIFETIME_MS = 365 * 24 * 3_600_000;
/**
 * Our signers' certificates are fetched by an exec plugin, which asks again by itself: a day bounds what a stolen one is
 * worth, and is long enough to outlast a control plane that is down over night.
 */
const OWN_LIFETIME_MS = 24 * 3_600_000;

/** The longest life a certificate of this signer gets where nothing else is configured. */
export function defaultLifetimeMs(signerName: string): number {
  return isBuiltInSigner(signerName) ? BUILT_IN_LIFETIME_MS : OWN_LIFETIME_MS;
}
