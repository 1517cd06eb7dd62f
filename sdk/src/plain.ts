// The node's end of a provider without envelope, as the first joins had it; `NodeProvider` takes its place.
import type { ContractVersion } from "./evidence.ts";

/** What a provider learns about the request that its evidence is for. */
export interface AttestationRequest {
  readonly nodeName: string;
  /** DER SubjectPublicKeyInfo of the key that is to be certified. */
  readonly publicKey: Uint8Array;
}

/** What travels with the certificate request. */
export interface AttestationEvidence {
  /** Opaque to everybody but the provider's verifier. Empty when the provider proves nothing. */
  readonly data: Uint8Array;
}

/** The node's end of a provider: it says which machine this is and proves it as well as it can. */
export interface NodeAttestationProvider {
  /** Last part of the signer name `cluster.x-k8s.io/kube-apiserver-client-kubelet-<name>`. */
  readonly name: string;
  readonly contractVersion: ContractVersion;
  /**
   * Whether a node may ask for its next certificate with its present one. A provider that proves nothing must say no: its
   * certificate lasts to its end, then the node starts over with a bootstrap credential.
   */
  readonly canRenew: boolean;
  attest(request: AttestationRequest): Promise<AttestationEvidence>;
}
