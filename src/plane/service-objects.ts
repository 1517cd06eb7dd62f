// Service default/kubernetes, by which pods find the API server, and the cluster addresses around it: those of kubeadm.
// Nothing here routes them, but certificates, the kubelet's configuration and the Service must agree on them.
// differs from upstream: kube-apiserver maintains the Service itself; here the plane does, which knows the address.

import { ENDPOINT_SLICES, ENDPOINTS, type KubeObject, SERVICES } from "../api/meta/index.ts";
import type { WantedObject } from "./wanted-objects.ts";

export const SERVICE_SUBNET = "10.96.0.0/12";
/** The first address of the subnet: Service default/kubernetes. */
export const SERVICE_ADDRESS = "10.96.0.1";
/** The tenth: the DNS server that kubelets configure in pods. */
export const DNS_ADDRESS = "10.96.0.10";
export const DNS_DOMAIN = "cluster.local";

const PLACE = { name: "kubernetes", namespace: "default" };

export function serviceObjects({ server }: { readonly server: string }): readonly WantedObject[] {
  const { hostname, port } = new URL(server);
  const address = hostname.replace(/^\[|\]$/g, "");
  const service: KubeObject & { spec: unknown } = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...PLACE, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      type: "ClusterIP",
      clusterIP: SERVICE_ADDRESS,
      clusterIPs: [SERVICE_ADDRESS],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: Number(port) }],
      sessionAffinity: "None",
    },
  };
  return [{ resource: SERVICES, object: service }, ...(isReachable(address) ? endpoints(address, Number(port)) : [])];
}

/** A pod that asked 127.0.0.1 would ask itself; API servers refuse such endpoints. */
function isReachable(address: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(address) ? !/^(?:127\.|0\.0\.0\.0$)/.test(address) : false;
}

function endpoints(ip: string, port: number): readonly WantedObject[] {
  const ports = [{ name: "https", port, protocol: "TCP" }];
  const legacy: KubeObject & { subsets: unknown } = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...PLACE, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip }], ports }],
  };
  const slice: KubeObject & { addressType: string; endpoints: unknown; ports: unknown } = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...PLACE, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports,
  };
  return [
    { resource: ENDPOINTS, object: legacy },
    { resource: ENDPOINT_SLICES, object: slice },
  ];
}
