// The credential plugins, one per attestation provider. What the everyday run needs is here; the provider itself is
// loaded when a certificate has to be requested.

import type { NodeAttestationProvider } from "../../attestation/providers/index.ts";

export interface Authenticator {
  readonly program: string;
  readonly signerName: string;
  /** The provider's own answer, repeated here so that the provider need not be loaded to hear it; a test compares. */
  readonly canRenew: boolean;
  loadProvider(): Promise<NodeAttestationProvider>;
}

export const INSECURE_AUTHENTICATOR: Authenticator = {
  program: "kubelet-authenticator-insecure",
  signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure",
  canRenew: false,
  loadProvider: async () => {
    const { createInsecureProvider } = await import("../../attestation/providers/insecure/index.ts");
    return createInsecureProvider();
  },
};
