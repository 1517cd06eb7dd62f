// Everything the boot sequence decides on: which credentials lie where, and what they are worth.

/** A pair as far as the decision needs it. */
export type FoundPair =
  | { readonly kind: "absent" }
  | { readonly kind: "damaged"; readonly why: string }
  | { readonly kind: "present"; readonly commonName: string; readonly notAfterMs: number };

export type FoundKubeconfig =
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly why: string }
  | {
      readonly kind: "read";
      /** Certificate and key in the file itself. */
      readonly inData: FoundPair;
      /** In files that it names, other than the store's own. */
      readonly inFiles: FoundPair;
      readonly hasToken: boolean;
    };

export interface BootFacts {
  /** `system:node:<name>`. */
  readonly commonName: string;
  readonly nowMs: number;
  /** What the certificate manager keeps itself. */
  readonly store: FoundPair;
  /** kubelet's older names for it: kubelet-client.crt and kubelet-client.key. */
  readonly oldFiles: FoundPair;
  readonly kubeconfig: FoundKubeconfig;
  readonly hasBootstrapKubeconfig: boolean;
}
