// Signer names, and the names and prefixes of which a node certificate is made.

export const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
export const KUBELET_SERVING_SIGNER = "kubernetes.io/kubelet-serving";
/** Certificates of API clients. No rule approves these; approved ones are signed. */
export const API_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";
export const INSECURE_CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";
/** What follows is the name of an attestation provider. */
export const ATTESTED_CLIENT_SIGNER_PREFIX = "cluster.x-k8s.io/kube-apiserver-client-kubelet-";
export const ATTESTED_SERVING_SIGNER_PREFIX = "cluster.x-k8s.io/kubelet-serving-";

/** Of an attestation provider: a requester has to prove what it is. */
export function signersOfProvider(provider: string): readonly [client: string, serving: string] {
  return [`${ATTESTED_CLIENT_SIGNER_PREFIX}${provider}`, `${ATTESTED_SERVING_SIGNER_PREFIX}${provider}`];
}

/** What the certificates of a signer are for; undefined for an unknown signer. */
export type SignerPurpose = "NodeClient" | "NodeServing" | "ApiClient";

export function purposeOf(signerName: string): SignerPurpose | undefined {
  if (signerName === KUBELET_CLIENT_SIGNER || signerName.startsWith(ATTESTED_CLIENT_SIGNER_PREFIX)) return "NodeClient";
  if (signerName === KUBELET_SERVING_SIGNER || signerName.startsWith(ATTESTED_SERVING_SIGNER_PREFIX))
    return "NodeServing";
  return signerName === API_CLIENT_SIGNER ? "ApiClient" : undefined;
}

export const NODE_USER_PREFIX = "system:node:";
export const NODES_GROUP = "system:nodes";
export const BOOTSTRAPPERS_GROUP = "system:bootstrappers";
export const BOOTSTRAP_USER_PREFIX = "system:bootstrap:";

/** What a kubelet asks for with an elliptic-curve key; an RSA key adds `key encipherment`. */
export const CLIENT_USAGES: readonly string[] = ["digital signature", "client auth"];
export const CLIENT_USAGES_RSA: readonly string[] = ["digital signature", "key encipherment", "client auth"];
export const SERVING_USAGES: readonly string[] = ["digital signature", "server auth"];
export const SERVING_USAGES_RSA: readonly string[] = ["digital signature", "key encipherment", "server auth"];

/**
 * Where the controller keeps its verdict on a request, for people and tools; any writer of the object may forge it, so
 * nothing trusts it.
 */
export const VERDICT_ANNOTATION = "countersign.dev/verdict";

// A Node's name is a DNS-1123 subdomain: it becomes part of a subject, of paths and of labels.

export const NODE_NAME_MAX_CHARACTERS = 253;
const LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const NODE_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

export function isNodeName(text: string): boolean {
  return text.length <= NODE_NAME_MAX_CHARACTERS && NODE_NAME.test(text);
}

/** `system:node:worker-3` → `worker-3`; undefined when the rest could not be the name of a Node. */
export function nodeNameOf(commonName: string | undefined): string | undefined {
  if (commonName === undefined || !commonName.startsWith(NODE_USER_PREFIX)) return undefined;
  const name = commonName.slice(NODE_USER_PREFIX.length);
  return isNodeName(name) ? name : undefined;
}
