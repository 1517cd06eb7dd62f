// Service default/kubernetes: the name under which pods find the API server, and where it leads. In Kubernetes the API server
// keeps these itself; here whoever starts the cluster knows the address that others reach it by.

import type { KubeObject } from "../../api/meta/index.ts";
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from "../../api/meta/index.ts";
import { SERVICE_ADDRESS } from "./network.ts";
import type { Wanted } from "./wanted.ts";

const PLACE = { name: "kubernetes", namespace: "default" };

export function serviceObjects({ server }: { readonly server: string }): readonly Wanted[] {
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

function endpoints(ip: string, port: number): readonly Wanted[] {
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
