// The addresses of an embedded cluster, those of kubeadm: nothing here routes them, but certificates, the kubelet's
// configuration and the Service of the API server must agree on them.

export const SERVICE_SUBNET = "10.96.0.0/12";
/** The first address of the subnet: Service default/kubernetes. */
export const SERVICE_ADDRESS = "10.96.0.1";
/** The tenth: where a kubelet tells its pods to ask for names. */
export const DNS_ADDRESS = "10.96.0.10";
export const DNS_DOMAIN = "cluster.local";
