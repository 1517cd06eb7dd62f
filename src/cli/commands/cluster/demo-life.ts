// What a node of the demonstration does after it joined: its next certificate by fresh proof, and one to serve with.

import { signersOfProvider } from "../../../api/certificates/index.ts";
import { COUNTERSIGN_API_VERSION, JOIN_POLICIES } from "../../../api/countersign/index.ts";
import type { NodeAttestationProvider } from "../../../attestation/index.ts";
import { joinPlaces, renewCertificate } from "../../../node/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";

const LIMIT_MS = 60_000;

interface LivingNode {
  readonly nodeName: string;
  readonly directory: string;
  readonly provider: NodeAttestationProvider;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function renew(node: LivingNode): Promise<void> {
  await renewCertificate(renewalOf(node));
}

/** A serving certificate for the name of its Node object. */
export async function serve(node: LivingNode): Promise<void> {
  const { nodeName, provider } = node;
  const names = () => ({ dnsNames: [nodeName], ipAddresses: [] });
  const [, signerName] = signersOfProvider(provider.name);
  const serving = { signerName, names };
  await renewCertificate({ ...renewalOf(node), serving });
}

function renewalOf({ nodeName, directory, provider, clock, signal }: LivingNode) {
  const { certDirectory, kubeconfigPath: kubeconfig } = joinPlaces(directory);
  const [signerName] = signersOfProvider(provider.name);
  const places = { certDirectory, kubeconfig, bootstrapKubeconfig: undefined };
  return { ...places, nodeName, signerName, provider, clock, signal, onlyIfDue: false, limitMs: LIMIT_MS };
}

/** The operator's policy for the names of serving certificates: without Machines they come from the Node objects. */
export async function allowServing(client: KubeClient, provider: string): Promise<void> {
  const [, signer] = signersOfProvider(provider);
  await client.create(JOIN_POLICIES, {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: JOIN_POLICIES.kind,
    metadata: { name: "serving" },
    spec: {
      mode: "Enforce",
      signers: [signer],
      serving: { inventory: { nodeAddresses: true, machineAddresses: false } },
    },
  });
}
