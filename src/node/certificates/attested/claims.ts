// What a request with evidence says of itself (protocol 2.3), and which requests have any.

import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../../api/certificates/index.ts";
import { type Claims, defaultProviderId, encodeProtocol, type Recipient } from "../../../attestation/evidence/index.ts";
import type { NodeAttestationProvider } from "../../../attestation/provider.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { caPinOf } from "../../discovery/pins.ts";
import type { WantedCertificate } from "../template.ts";

/** Who proves what to whom. */
export interface AttestationSettings {
  readonly provider: NodeAttestationProvider;
  /** What the platform calls the machine. Default: what the provider says, else a name made of the node's. */
  readonly providerId?: string | undefined;
  /** Which cluster is meant: the pin of its CA, or the id that the bootstrap data gave; empty where neither is known. */
  readonly evidenceCluster: string;
  /** To whom evidence is sealed, where the bootstrap data says so. */
  readonly recipient?: Recipient | undefined;
}

export interface AttestedRequest extends AttestationSettings, WantedCertificate {
  readonly signerName: string;
  /** With the bootstrap credential, or with the node's own certificate. */
  readonly intent: "join" | "renew";
}

/** The id of a cluster that was given none: its CA's pin. During a rotation of the CA that of the first in the bundle, old or new. */
export function evidenceClusterOf(caPem: string): string {
  const [root] = readCertificates(caPem);
  return root === undefined ? "" : caPinOf(root);
}

/** Evidence is for the signers of attestation providers. Kubernetes' own take a plain request, as a kubelet's. */
export function takesEvidence(signerName: string): boolean {
  return signerName.startsWith(ATTESTED_CLIENT_SIGNER_PREFIX) || signerName.startsWith(ATTESTED_SERVING_SIGNER_PREFIX);
}

/** What the provider may not do is not even asked for. */
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

export async function claimsOf(request: AttestedRequest, signal: AbortSignal): Promise<Claims> {
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
