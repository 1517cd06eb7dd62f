// Which addresses and node ports Services have, and which one is free. Nothing is written down beside the Services
// themselves: what they hold is what is taken, so that nothing can leak. They are written one at a time (writesInTurn).

import type { Service, ServicePort, ServiceSpec } from "../../../../api/core/index.ts";
import { type FieldError, invalid } from "../../field-error.ts";
import { HEADLESS, needsNodePorts } from "./service-defaults.ts";

const RANGE = "10.96.0.0/12";
const FIRST = address(10, 96, 0, 0);
const SIZE = 2 ** 20;
/** Lower addresses are only allocated on request: 10.96.0.1 is the API server's, 10.96.0.10 often that of DNS. */
const ASKED_FOR = 256;

const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;

function address(...octets: readonly [number, number, number, number]): number {
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

function numberOf(ip: string): number | undefined {
  const octets = ip.split(".").map(Number);
  const [a, b, c, d] = octets;
  if (a === undefined || b === undefined || c === undefined || d === undefined || octets.length !== 4) return undefined;
  return octets.every((octet) => Number.isInteger(octet) && octet >= 0 && octet <= 255)
    ? address(a, b, c, d)
    : undefined;
}

function textOf(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

/** A Service is identified by namespace and name. */
function others(service: Service, services: readonly Service[]): readonly Service[] {
  const { namespace, name } = service.metadata;
  return services.filter(({ metadata }) => metadata.namespace !== namespace || metadata.name !== name);
}

function takenAddresses(services: readonly Service[]): ReadonlySet<string> {
  return new Set(services.flatMap(({ spec }) => spec?.clusterIPs ?? []).filter((ip) => ip !== HEADLESS));
}

function takenPorts(services: readonly Service[]): ReadonlySet<number> {
  return new Set(services.flatMap(({ spec }) => (spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort)));
}

/** The Service with an address and node ports, where it needs them and has none. */
export function allocated(service: Service, all: readonly Service[]): Service {
  const { spec = {} } = service;
  const services = others(service, all);
  return { ...service, spec: withNodePorts(withAddress(spec, services), services) };
}

function withAddress(spec: ServiceSpec, services: readonly Service[]): ServiceSpec {
  const { type, clusterIP = "", clusterIPs = [] } = spec;
  if (type === "ExternalName" || clusterIP !== "" || clusterIPs.length > 0) return spec;
  const ip = freeAddress(takenAddresses(services));
  return ip === undefined ? spec : { ...spec, clusterIP: ip, clusterIPs: [ip] };
}

function freeAddress(taken: ReadonlySet<string>): string | undefined {
  for (let at = ASKED_FOR; at < SIZE - 1; at += 1) {
    const ip = textOf(FIRST + at);
    if (!taken.has(ip)) return ip;
  }
  return undefined;
}

function withNodePorts(spec: ServiceSpec, services: readonly Service[]): ServiceSpec {
  if (!needsNodePorts(spec) || spec.ports === undefined) return spec;
  const taken = new Set([...takenPorts(services), ...spec.ports.map(({ nodePort = 0 }) => nodePort)]);
  return { ...spec, ports: spec.ports.map((port) => withNodePort(port, taken)) };
}

function withNodePort(port: ServicePort, taken: Set<number>): ServicePort {
  if ((port.nodePort ?? 0) !== 0) return port;
  for (let nodePort = FIRST_PORT; nodePort <= LAST_PORT; nodePort += 1) {
    if (taken.has(nodePort)) continue;
    taken.add(nodePort);
    return { ...port, nodePort };
  }
  return port;
}

/** Addresses and ports of a Service that another Service has already, or that are outside of the ranges. */
export function allocationErrors(service: Service, all: readonly Service[]): readonly FieldError[] {
  const { spec = {} } = service;
  const services = others(service, all);
  return spec.type === "ExternalName" ? [] : [...addressErrors(spec, services), ...portErrors(spec, services)];
}

function addressErrors(spec: ServiceSpec, services: readonly Service[]): readonly FieldError[] {
  const { clusterIPs = [] } = spec;
  const [ip] = clusterIPs;
  const field = "spec.clusterIPs";
  if (ip === HEADLESS) return [];
  if (ip === undefined) return [invalid(field, clusterIPs, "failed to allocate IP: range is full")];
  const problem = addressProblem(ip, takenAddresses(services));
  return problem === undefined ? [] : [invalid(field, clusterIPs, `failed to allocate IP ${ip}: ${problem}`)];
}

function addressProblem(ip: string, taken: ReadonlySet<string>): string | undefined {
  const offset = (numberOf(ip) ?? 0) - FIRST;
  if (offset < 0 || offset >= SIZE) return "the provided network does not match the current range";
  if (offset === 0 || offset === SIZE - 1) {
    return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${RANGE}`;
  }
  return taken.has(ip) ? "provided IP is already allocated" : undefined;
}

function portErrors(spec: ServiceSpec, services: readonly Service[]): readonly FieldError[] {
  const taken = takenPorts(services);
  return (spec.ports ?? []).flatMap(({ nodePort = 0 }, at) => {
    const problem = nodePort === 0 ? undefined : portProblem(nodePort, taken);
    return problem === undefined ? [] : [invalid(`spec.ports[${at}].nodePort`, nodePort, problem)];
  });
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  if (port < FIRST_PORT || port > LAST_PORT) {
    return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
  }
  return taken.has(port) ? "provided port is already allocated" : undefined;
}
