// The statement of a request with evidence, which requests carry evidence, and what obtaining a certificate needs.

import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../../api/certificates/index.ts";
import {
  defaultProviderId,
  encodeProtocol,
  type Recipient,
  type Statement,
} from "../../../attestation/evidence/index.ts";
import type { NodeAttestationProvider } from "../../../attestation/provider.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import type { PairCertificate } from "../../../platform/pair/index.ts";
import { caPinOf } from "../../discovery/roots.ts";
import type { RequestOptions } from "../request.ts";
import type { CertificateStore } from "../store/store.ts";
import type { WantedCertificate } from "../template.ts";

/** How a node attests. */
export interface AttestationSettings {
  readonly provider: NodeAttestationProvider;
  /** What the platform calls the machine. Default: what the provider says, else a name made of the node's. */
  readonly providerId?: string | undefined;
  /**
   * The evidence cluster: the pin of the cluster's CA, or the id of the bootstrap data; empty where neither is known.
   */
  readonly evidenceCluster: string;
  /** The recipient to whom evidence is sealed, where the bootstrap data names one. */
  readonly recipient?: Recipient | undefined;
}

interface AttestedRequest extends AttestationSettings, WantedCertificate {
  readonly signerName: string;
  /** With the bootstrap credential, or with the node's own certificate. */
  readonly intent: "join" | "renew";
}

/**
 * The evidence cluster where no id was given: the pin of the first CA in the bundle, during a rotation the old or the
 * new one.
 */
export function evidenceClusterOf(caPem: string): string {
  const [root] = readCertificates(caPem);
  return root === undefined ? "" : caPinOf(root);
}

/** Evidence is for the signers of attestation providers. Kubernetes' own take a plain request, as a kubelet's. */
export function takesEvidence(signerName: string): boolean {
  return signerName.startsWith(ATTESTED_CLIENT_SIGNER_PREFIX) || signerName.startsWith(ATTESTED_SERVING_SIGNER_PREFIX);
}

/** Fault `bad-config` for a request that the provider must not make. */
export function requireMayAsk({ provider, signerName, intent, serving }: AttestedRequest): void {
  const { name, canRenew, canServe } = provider;
  if (!signerName.endsWith(`-${name}`)) {
    throw new Fault("bad-config", `signer ${signerName} is not for evidence of provider ${name}`);
  }
  if (serving !== undefined && !canServe) {
    throw new Fault("bad-config", `ProviderCannotServe: provider ${name} proves too little for a serving certificate`);
  }
  if (intent === "renew" && !canRenew) {
    throw new Fault(
      "bad-config",
      `ProviderCannotRenew: with provider ${name} a node joins again when its time is over`,
    );
  }
}

export async function statementOf(request: AttestedRequest, signal: AbortSignal): Promise<Statement> {
  const { provider, nodeName, serving, intent, signerName, evidenceCluster } = request;
  if (evidenceCluster === "")
    throw new Fault(
      "bad-config",
      "which cluster is meant is not known: the kubeconfig names no CA of it; give --evidence-cluster",
    );
  const providerId = request.providerId ?? (await provider.providerId?.(nodeName, signal));
  return {
    intent,
    purpose: serving === undefined ? "client" : "serving",
    signer: signerName,
    node: nodeName,
    providerId: providerId ?? defaultProviderId(nodeName),
    cluster: evidenceCluster,
    offered: provider.protocols.map(encodeProtocol),
  };
}

export interface ObtainOptions extends Omit<RequestOptions, "key" | "attested">, AttestedRequest {
  readonly store: CertificateStore;
  /** Asked under the lock: another process may have stored a pair while this one waited for it. */
  readonly isGood: (pair: PairCertificate) => boolean;
  /**
   * After a refusal: `new-key` asks with a new key next time, once an operator has removed the cause. `keep-key` finds
   * the same refused request again: a plugin is called twice a second and must not create a request each time.
   */
  readonly onRefusal: "new-key" | "keep-key";
}
