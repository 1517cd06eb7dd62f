// Signer names and the words a node certificate is made of.

export const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
export const KUBELET_SERVING_SIGNER = "kubernetes.io/kubelet-serving";
export const INSECURE_CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";

export const NODE_USER_PREFIX = "system:node:";
export const NODES_GROUP = "system:nodes";
export const BOOTSTRAPPERS_GROUP = "system:bootstrappers";
export const BOOTSTRAP_USER_PREFIX = "system:bootstrap:";

/** What a kubelet asks for with an elliptic-curve key; an RSA key adds `key encipherment`. */
export const CLIENT_USAGES: readonly string[] = ["digital signature", "client auth"];
export const CLIENT_USAGES_RSA: readonly string[] = ["digital signature", "key encipherment", "client auth"];

/** Where the controller keeps its verdict on a request, for people and tools; anybody may forge it, so nothing trusts it. */
export const VERDICT_ANNOTATION = "countersign.dev/verdict";
