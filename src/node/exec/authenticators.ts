// The credential plugins, one per attestation provider. What the everyday run needs is here; the provider itself is
// loaded when a certificate has to be requested.

import type { NodeAttestationProvider } from "../../attestation/provider.ts";

export interface Authenticator {
  readonly program: string;
  readonly signerName: string;
  /** The provider's own answer, repeated here so that the provider need not be loaded to hear it; a test compares. */
  readonly canRenew: boolean;
  /** The provider's own flags: name with dashes -> what follows it in the help, and what it is. */
  readonly ownFlags?: Readonly<Record<string, OwnFlag>> | undefined;
  /** How long a renewal may delay a kubelet whose certificate still works. Default: RENEWAL_WAIT_MS. */
  readonly renewalWaitMs?: number | undefined;
  /** With the values of its own flags, by name with dashes. */
  loadProvider(own: ReadonlyMap<string, string>): Promise<NodeAttestationProvider>;
}

interface OwnFlag {
  /** Left out: a switch. */
  readonly value?: string | undefined;
  readonly description: string;
}

/** Of a provider that can: keys are written down sealed by this machine's TPM. */
// spelled out below, because a computed name would keep this flag in every bundle
export const SEAL_KEY_FLAG = "--seal-key";

/** Of a join without --provider: a plain request to Kubernetes' own signer, as a kubelet's. Nothing is attested. */
export const PLAIN_AUTHENTICATOR: Authenticator = {
  program: "kubelet-authenticator",
  signerName: "kubernetes.io/kube-apiserver-client-kubelet",
  canRenew: true,
  loadProvider: async () => {
    const { createInsecureProvider } = await import("../../attestation/insecure/node.ts");
    return createInsecureProvider();
  },
};

export const INSECURE_AUTHENTICATOR: Authenticator = {
  program: "kubelet-authenticator-insecure",
  signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure",
  canRenew: false,
  loadProvider: async () => {
    const { createInsecureProvider } = await import("../../attestation/insecure/node.ts");
    return createInsecureProvider();
  },
};

export const TPM_AUTHENTICATOR: Authenticator = {
  program: "kubelet-authenticator-tpm",
  signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm",
  canRenew: true,
  ownFlags: {
    "--tpm": { value: "ADDRESS", description: "/dev/tpmrm0 (default), swtpm:path=SOCKET or swtpm:host=HOST,port=PORT" },
    // Not the default: the directory is kubelet's own, and other programs that read its key need a plain one.
    "--seal-key": { description: "keep the key sealed by the TPM; not where a kubelet reads it from --cert-dir" },
  },
  // A discrete TPM makes its keys in seconds; a node's Lease is good for 40.
  renewalWaitMs: 25_000,
  loadProvider: async (own) => {
    const { createTpmProvider } = await import("../../attestation/tpm/node.ts");
    return createTpmProvider({ address: own.get("--tpm") });
  },
};
