// Defaults of a Service: type, protocol, target ports, IP families. Behaviour of
// kubernetes/pkg/apis/core/v1/defaults.go and pkg/registry/core/service.

import type { Service, ServicePort, ServiceSpec } from "../../../../api/core/index.ts";

export const HEADLESS = "None";
/** kube-proxy forgets a client after three hours. */
const AFFINITY_SECONDS = 10_800;

export function withServiceDefaults(spec: ServiceSpec): ServiceSpec {
  const type = spec.type ?? "ClusterIP";
  const { sessionAffinityConfig: _config, ...rest } = spec;
  const ports = spec.ports === undefined ? {} : { ports: spec.ports.map(portDefaults) };
  return { ...rest, ...ports, type, ...affinityOf(spec), ...trafficPoliciesOf(spec, type) };
}

function portDefaults(port: ServicePort): ServicePort {
  const { targetPort = 0 } = port;
  const isUnset = targetPort === 0 || targetPort === "";
  return { ...port, protocol: port.protocol ?? "TCP", targetPort: isUnset ? (port.port ?? 0) : targetPort };
}

function affinityOf(spec: ServiceSpec): Pick<ServiceSpec, "sessionAffinity" | "sessionAffinityConfig"> {
  const sessionAffinity = spec.sessionAffinity ?? "None";
  if (sessionAffinity === "None") return { sessionAffinity };
  if (sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    return { sessionAffinity, sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } };
  }
  const { sessionAffinityConfig } = spec;
  return { sessionAffinity, ...(sessionAffinityConfig === undefined ? {} : { sessionAffinityConfig }) };
}

function trafficPoliciesOf(spec: ServiceSpec, type: string): Partial<ServiceSpec> {
  return {
    ...(isExternal({ ...spec, type }) ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? "Cluster" } : {}),
    ...(type === "ExternalName" ? {} : { internalTrafficPolicy: spec.internalTrafficPolicy ?? "Cluster" }),
    ...(type === "LoadBalancer" ? { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true } : {}),
  };
}

/** One address family, IPv4; a headless Service without selector could have endpoints of both. */
export function withFamilies(spec: ServiceSpec): ServiceSpec {
  if (spec.type === "ExternalName") return spec;
  const isFree = spec.clusterIP === HEADLESS && Object.keys(spec.selector ?? {}).length === 0;
  const ipFamilyPolicy = spec.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack");
  const given = spec.ipFamilies ?? ["IPv4"];
  const isDual = isFree && given.length === 1 && ipFamilyPolicy !== "SingleStack";
  const ipFamilies = isDual ? [...given, given[0] === "IPv4" ? "IPv6" : "IPv4"] : given;
  return { ...spec, ipFamilies, ipFamilyPolicy };
}

/** Allocated values that the new type does not need are released; the others are kept. */
export function carriedOver(next: ServiceSpec, current: ServiceSpec): ServiceSpec {
  const kept = keptAddress(next, current);
  const families = next.type === "ExternalName" ? {} : familiesOf(next, current);
  const ports = next.ports === undefined ? {} : { ports: keptNodePorts(next, current) };
  const { clusterIP: _one, clusterIPs: _all, ipFamilies: _families, ipFamilyPolicy: _policy, ...rest } = next;
  return { ...withoutOldPolicies(rest, current), ...kept, ...families, ...ports };
}

/** Fields that only the former type used and that the update did not change. */
function withoutOldPolicies(next: ServiceSpec, current: ServiceSpec): ServiceSpec {
  const { externalTrafficPolicy: policy, allocateLoadBalancerNodePorts: ports, ...rest } = next;
  const dropsPolicy = isExternal(current) && !isExternal(next) && policy === current.externalTrafficPolicy;
  const dropsPorts = next.type !== "LoadBalancer" && ports === current.allocateLoadBalancerNodePorts;
  return {
    ...rest,
    ...(dropsPolicy || policy === undefined ? {} : { externalTrafficPolicy: policy }),
    ...(dropsPorts || ports === undefined ? {} : { allocateLoadBalancerNodePorts: ports }),
  };
}

/** Reachable from outside of the cluster. */
function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer" || externalIPs.length > 0;
}

function familiesOf(next: ServiceSpec, current: ServiceSpec): Partial<ServiceSpec> {
  const ipFamilies = next.ipFamilies ?? current.ipFamilies;
  const ipFamilyPolicy = next.ipFamilyPolicy ?? current.ipFamilyPolicy;
  return {
    ...(ipFamilies === undefined ? {} : { ipFamilies }),
    ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy }),
  };
}

function keptAddress(next: ServiceSpec, current: ServiceSpec): Pick<ServiceSpec, "clusterIP" | "clusterIPs"> {
  const { clusterIP = "", clusterIPs = [] } = next;
  const before = current.clusterIPs ?? [];
  if (next.type === "ExternalName") {
    const isChanged = clusterIP !== "" && clusterIP !== current.clusterIP;
    return isChanged ? { clusterIP, clusterIPs: [clusterIP] } : {};
  }
  if (clusterIP === "" && clusterIPs.length === 0) return addressesOf(current.clusterIP ?? "", before);
  const isStale = clusterIP !== current.clusterIP && String(clusterIPs) === String(before);
  return addressesOf(clusterIP, isStale || clusterIPs.length === 0 ? [clusterIP] : clusterIPs);
}

function addressesOf(clusterIP: string, clusterIPs: readonly string[]) {
  return clusterIP === "" && clusterIPs.length === 0 ? {} : { clusterIP, clusterIPs };
}

function keptNodePorts(next: ServiceSpec, current: ServiceSpec): readonly ServicePort[] {
  const ports = next.ports ?? [];
  const before = new Map((current.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  const used = new Set(ports.map(({ nodePort = 0 }) => nodePort));
  return ports.map((port) => {
    const { name = "", nodePort: _given, ...rest } = port;
    const old = before.get(name) ?? 0;
    if (needsNodePorts(next))
      return (port.nodePort ?? 0) === 0 && old !== 0 && !used.has(old) ? { ...port, nodePort: old } : port;
    return port.nodePort === old && needsNodePorts(current) ? withName(rest, name) : port;
  });
}

function withName(port: ServicePort, name: string): ServicePort {
  return name === "" ? port : { name, ...port };
}

export function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}

export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === HEADLESS;
}

export function statusOf(service: Service): NonNullable<Service["status"]> {
  return service.status ?? { loadBalancer: {} };
}

/** The ipMode of a load balancer's address is VIP by default. */
export function writtenStatusOf(service: Service, spec: ServiceSpec): NonNullable<Service["status"]> {
  const status = statusOf(service);
  const { ingress } = status.loadBalancer ?? {};
  if (ingress === undefined || spec.type !== "LoadBalancer") return { loadBalancer: {}, ...status };
  const modes = ingress.map((one) => ((one.ip ?? "") === "" ? one : { ...one, ipMode: one.ipMode ?? "VIP" }));
  return { ...status, loadBalancer: { ...status.loadBalancer, ingress: modes } };
}
