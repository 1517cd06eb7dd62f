// The node's end of a provider: it says which machine this is, and proves it.
//
//   export const provider: NodeProvider = {
//     name: "example", contractVersion: 1, versions: [1], freshness: "challenge", canRenew: true, canServe: true,
//     providerId: async () => `example:///${await readMachineId()}`,
//     attest: async ({ digest }) => ({ signature: base64(await signWithMachineKey(digest)) }),
//   };
import type { ContractVersion, EvidenceRequest, Freshness, JsonObject } from "./evidence.ts";

export interface NodeProvider {
  /** `[a-z][a-z0-9-]{0,31}`: last part of the signer name `cluster.x-k8s.io/kube-apiserver-client-kubelet-<name>`. */
  readonly name: string;
  readonly contractVersion: ContractVersion;
  /** Versions of the evidence that can be made, best first. */
  readonly versions: readonly number[];
  readonly freshness: Freshness;
  /** Whether a node may ask for its next certificate with its present one, and fresh evidence. */
  readonly canRenew: boolean;
  readonly canServe: boolean;
  /** What the platform calls this machine, as in `spec.providerID` of its Machine and Node. */
  providerId(options: NodeCallOptions): Promise<string>;
  /** With a challenge: what the controller must know before it asks (a key's name, say). Left out: an empty object. */
  hello?(request: EvidenceRequest, options: NodeCallOptions): Promise<JsonObject>;
  /**
   * The evidence for this request. Signatures have a form that others cannot vary (Ed25519, RSA, ECDSA with a low s).
   */
  attest(request: EvidenceRequest, options: NodeCallOptions): Promise<JsonObject>;
}

export interface NodeCallOptions {
  readonly nodeName: string;
  readonly signal: AbortSignal;
}
