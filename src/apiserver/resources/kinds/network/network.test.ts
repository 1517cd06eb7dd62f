import { describe, expect, it } from "vitest";
import type { EndpointSlice, Endpoints, Service, ServiceSpec } from "../../../../api/core/index.ts";
import { describeError, type FieldError } from "../../field-error.ts";
import { endpointSliceStrategy, endpointsStrategy } from "./endpoints.ts";
import { serviceStrategy } from "./service.ts";

const texts = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${describeError(error)}`);
const facts = (...stored: readonly Service[]) => ({
  user: { username: "jane", groups: [] },
  nowMs: 0,
  list: () => stored,
});
const aService = (name: string, spec: ServiceSpec = {}): Service => ({
  kind: "Service",
  apiVersion: "v1",
  metadata: { name, namespace: "n" },
  spec: { ports: [{ port: 80 }], ...spec },
});
const created = (service: Service, ...stored: readonly Service[]) =>
  serviceStrategy.prepareCreate(service, facts(...stored));
const taken = (clusterIP: string, ...nodePorts: readonly number[]) =>
  aService(`has-${clusterIP}`, {
    clusterIP,
    clusterIPs: [clusterIP],
    ports: nodePorts.map((nodePort) => ({ port: nodePort, nodePort })),
  });

describe("a new Service", () => {
  it("gets the first free address, and says the little that was not said", () => {
    expect(created(aService("a")).spec).toEqual({
      type: "ClusterIP",
      clusterIP: "10.96.1.0",
      clusterIPs: ["10.96.1.0"],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
    expect(created(aService("b"), taken("10.96.1.0"), taken("10.96.1.2")).spec?.clusterIP).toBe("10.96.1.1");
  });

  it("may ask for an address that nobody has", () => {
    const asked = created(aService("a", { clusterIP: "10.96.0.10" }));
    expect(asked.spec?.clusterIPs).toEqual(["10.96.0.10"]);
    expect(serviceStrategy.conflicts(asked, facts())).toEqual([]);
    expect(texts(serviceStrategy.conflicts(asked, facts(taken("10.96.0.10"))))).toEqual([
      'spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated',
    ]);
  });

  it("keeps the address that it has itself", () => {
    const asked = created(aService("a", { clusterIP: "10.96.0.10" }));
    expect(serviceStrategy.conflicts(asked, facts(asked))).toEqual([]);
  });

  it.each(["10.95.255.255", "10.112.0.0", "192.0.2.1", "2001:db8::1"])("is refused an address outside: %s", (ip) => {
    const [error] = texts(serviceStrategy.conflicts(created(aService("a", { clusterIP: ip })), facts()));
    expect(error).toMatch(/failed to allocate IP .*: the provided network does not match the current range$/);
  });

  it("gets the first free node port where its type needs one", () => {
    const asked = created(aService("a", { type: "NodePort" }), taken("10.96.1.0", 30_000, 30_001));
    expect(asked.spec?.ports?.[0]?.nodePort).toBe(30_002);
    const wanted = created(aService("a", { type: "NodePort", ports: [{ port: 80, nodePort: 30_000 }] }));
    expect(texts(serviceStrategy.conflicts(wanted, facts(taken("10.96.1.5", 30_000))))).toEqual([
      "spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated",
    ]);
  });

  it("needs no address when it is headless or a name", () => {
    expect(created(aService("a", { clusterIP: "None" })).spec?.clusterIPs).toEqual(["None"]);
    const name = created(aService("a", { type: "ExternalName", externalName: "example.com" }));
    expect(name.spec).not.toHaveProperty("clusterIP");
    expect(serviceStrategy.conflicts(name, facts())).toEqual([]);
  });
});

describe("a Service that exists", () => {
  const current = created(aService("a"));
  const changed = (spec: ServiceSpec) => serviceStrategy.prepareUpdate({ ...current, spec }, current, facts(current));

  it("keeps its address when an old client leaves it out", () => {
    const next = changed({ ports: [{ port: 81 }] });
    expect(next.spec?.clusterIPs).toEqual(["10.96.1.0"]);
    expect(serviceStrategy.validateUpdate(next, current)).toEqual([]);
  });

  it("does not take another address", () => {
    const next = changed({ ports: [{ port: 80 }], clusterIP: "10.96.9.9" });
    expect(texts(serviceStrategy.validateUpdate(next, current))).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.9.9"]: may not change once set',
    ]);
  });

  it("gives its address back when it becomes a name", () => {
    const next = changed({ ...current.spec, type: "ExternalName", externalName: "example.com" });
    expect(next.spec).not.toHaveProperty("clusterIP");
    expect(next.spec).not.toHaveProperty("ipFamilies");
    expect(serviceStrategy.validateUpdate(next, current)).toEqual([]);
  });
});

describe("a Service is refused", () => {
  const bad: Record<string, [ServiceSpec, string]> = {
    "without ports": [{ ports: [] }, "spec.ports: Required value"],
    "with ports that only differ in number and have no names": [
      { ports: [{ port: 80 }, { port: 81, name: "b" }] },
      "spec.ports[0].name: Required value",
    ],
    "with a port that is none": [
      { ports: [{ port: 70_000, targetPort: 1 }] },
      "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ],
    "headless with node ports": [
      { type: "NodePort", clusterIP: "None" },
      "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
    ],
    "as a name without one": [{ type: "ExternalName", ports: [] }, "spec.externalName: Required value"],
  };
  it.each(Object.entries(bad))("%s", (_name, [spec, text]) => {
    const { spec: prepared = {}, ...rest } = created(aService("a", spec));
    expect(texts(serviceStrategy.validateCreate({ ...rest, spec: prepared }))).toEqual([text]);
  });
});

describe("endpoints", () => {
  const subset = (ip: string): Endpoints => ({
    kind: "Endpoints",
    apiVersion: "v1",
    metadata: { name: "e" },
    subsets: [{ addresses: [{ ip }] }],
  });
  it.each(["127.0.0.1", "::1", "169.254.1.1", "fe80::1", "0.0.0.0", "::"])("do not lead astray: %s", (ip) => {
    expect(endpointsStrategy.validateCreate(subset(ip))).toHaveLength(1);
  });
  it.each(["10.0.0.1", "2001:db8::1"])("may be at %s", (ip) => {
    expect(endpointsStrategy.validateCreate(subset(ip))).toEqual([]);
  });

  const slice = (addressType: string, ...addresses: readonly string[]): EndpointSlice => ({
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { name: "s" },
    addressType,
    endpoints: [{ addresses }],
  });
  it("of a slice are of its family", () => {
    expect(endpointSliceStrategy.validateCreate(slice("IPv4", "10.0.0.1"))).toEqual([]);
    expect(texts(endpointSliceStrategy.validateCreate(slice("IPv4", "2001:db8::1")))).toEqual([
      'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
    ]);
    expect(endpointSliceStrategy.validateCreate(slice("FQDN", "example.com"))).toEqual([]);
  });
  it("are counted beyond the third", () => {
    const many = slice("IPv4", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5");
    expect(endpointSliceStrategy.table.cells(many, 0)[3]).toBe("10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...");
  });
});
