// Endpoints and EndpointSlice: where the pods behind a Service answer.

import type { EndpointSlice, Endpoints, EndpointsSubset } from "../../../../api/core/index.ts";
import { ENDPOINT_SLICES, ENDPOINTS } from "../../../../api/meta/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { parseIpAddress } from "../../../../kernel/x509/index.ts";
import {
  duplicate,
  type FieldError,
  immutableField,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../field-error.ts";
import { countedGeneration, firstGeneration } from "../../metadata.ts";
import { dnsLabel, dnsSubdomain, portNumber } from "../../names.ts";
import { defineStrategy } from "../../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../../table.ts";
import { IP_TEXT, PROTOCOLS } from "./service-errors.ts";

/** How many entries a cell shows before it only counts the rest. */
const SHOWN = 3;
function withProtocols(endpoints: Endpoints): Endpoints {
  if (endpoints.subsets === undefined) return endpoints;
  const subsets = endpoints.subsets.map((subset) =>
    subset.ports === undefined
      ? subset
      : { ...subset, ports: subset.ports.map((port) => ({ ...port, protocol: port.protocol ?? "TCP" })) },
  );
  return { ...endpoints, subsets };
}

function endpointsErrors({ subsets = [] }: Endpoints): readonly FieldError[] {
  return subsets.flatMap((subset, at) => subsetErrors(subset, `subsets[${at}]`));
}

function subsetErrors(subset: EndpointsSubset, field: string): readonly FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(isEmpty ? [required(field, "must specify `addresses` or `notReadyAddresses`")] : []),
    ...addresses.flatMap(({ ip = "" }, at) => addressErrors(ip, `${field}.addresses[${at}].ip`)),
    ...notReadyAddresses.flatMap(({ ip = "" }, at) => addressErrors(ip, `${field}.notReadyAddresses[${at}].ip`)),
    ...ports.flatMap(({ name = "", port = 0, protocol = "" }, at) => [
      ...(name === "" && ports.length > 1 ? [required(`${field}.ports[${at}].name`)] : []),
      ...(name === "" ? [] : dnsLabel(name).map((text) => invalid(`${field}.ports[${at}].name`, name, text))),
      ...portNumber(port).map((text) => invalid(`${field}.ports[${at}].port`, port, text)),
      ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${field}.ports[${at}].protocol`, protocol, PROTOCOLS)]),
    ]),
  ];
}

/** Something that is no address is reported twice, as by kube-apiserver. */
function addressErrors(ip: string, field: string): readonly FieldError[] {
  const again = parseIpAddress(ip) === undefined ? [invalid(field, ip, "must be a valid IP address")] : [];
  return [...ipErrors(ip, field), ...again];
}

/** Loopback and link-local addresses mean another machine to every client. */
function ipErrors(ip: string, field: string): readonly FieldError[] {
  const octets = parseIpAddress(ip);
  if (octets === undefined) return [invalid(field, ip, IP_TEXT)];
  const isV4 = octets.length === 4;
  const last = octets.at(-1) ?? 0;
  const isZero = octets.subarray(0, -1).every((octet) => octet === 0);
  const [first = 0, second = 0] = octets;
  if (isZero && last === 0) return [invalid(field, ip, `may not be unspecified (${ip})`)];
  if (isV4 ? first === 127 : isZero && last === 1) {
    return [invalid(field, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)")];
  }
  const isLinkLocal = isV4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
  return isLinkLocal ? [invalid(field, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")] : [];
}

export const endpointsStrategy = defineStrategy<Endpoints>({
  resource: ENDPOINTS,
  shortNames: ["ep"],
  createsOnUpdate: true,
  prepareCreate: withProtocols,
  prepareUpdate: withProtocols,
  validateCreate: endpointsErrors,
  validateUpdate: endpointsErrors,
  table: {
    columns: [NAME_COLUMN, column("Endpoints"), column("Age")],
    cells: (endpoints, nowMs) => [nameOf(endpoints), endpointsCell(endpoints), ageCell(endpoints, nowMs)],
  },
});

function endpointsCell({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip = "" }) => ip);
    return ports.length === 0 ? ips : ports.flatMap(({ port = 0 }) => ips.map((ip) => hostPort(ip, port)));
  });
  return shortened(all, "");
}

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function shortened(all: readonly string[], whenEmpty: string): string {
  const shown = all.slice(0, SHOWN).join(",");
  if (all.length > SHOWN) return `${shown} + ${all.length - SHOWN} more...`;
  return shown === "" ? whenEmpty : shown;
}

const ADDRESS_TYPES: readonly string[] = ["FQDN", "IPv4", "IPv6"];
const MAX_ENDPOINTS = 1_000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;

function sliceDefaults(slice: EndpointSlice): EndpointSlice {
  const ports = slice.ports?.map((port) => ({ ...port, name: port.name ?? "", protocol: port.protocol ?? "TCP" }));
  const endpoints = slice.endpoints?.map((endpoint) => ({ ...endpoint, conditions: endpoint.conditions ?? {} }));
  return { ...slice, endpoints: endpoints ?? null, ports: ports ?? null };
}

function sliceErrors(slice: EndpointSlice): readonly FieldError[] {
  const { addressType = "", ports } = slice;
  return [
    ...(addressType === "" ? [required("addressType")] : []),
    ...(addressType === "" || ADDRESS_TYPES.includes(addressType)
      ? []
      : [notSupported("addressType", addressType, ADDRESS_TYPES)]),
    ...slicePortErrors(ports ?? []),
  ];
}

function slicePortErrors(ports: NonNullable<EndpointSlice["ports"]>): readonly FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany("ports", ports.length, MAX_PORTS)];
  return ports.flatMap(({ name = "", protocol = "" }, at) => [
    ...(name === "" ? [] : dnsLabel(name).map((text) => invalid(`ports[${at}].name`, name, text))),
    ...(ports.findIndex((other) => (other.name ?? "") === name) < at ? [duplicate(`ports[${at}].name`, name)] : []),
    ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`ports[${at}].protocol`, protocol, PROTOCOLS)]),
  ]);
}

function endpointErrors(slice: EndpointSlice): readonly FieldError[] {
  const { addressType = "" } = slice;
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany("endpoints", endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap(({ addresses = [], nodeName }, at) => {
    const field = `endpoints[${at}]`;
    return [
      ...(addresses.length === 0 ? [required(`${field}.addresses`, "must contain at least 1 address")] : []),
      ...(addresses.length > MAX_ADDRESSES ? [tooMany(`${field}.addresses`, addresses.length, MAX_ADDRESSES)] : []),
      ...addresses.flatMap((address, nth) => familyErrors(address, addressType, `${field}.addresses[${nth}]`)),
      ...(nodeName === undefined
        ? []
        : dnsSubdomain(nodeName).map((text) => invalid(`${field}.nodeName`, nodeName, text))),
    ];
  });
}

function familyErrors(address: string, addressType: string, field: string): readonly FieldError[] {
  if (addressType === "FQDN") return dnsSubdomain(address).map((text) => invalid(field, address, text));
  if (addressType !== "IPv4" && addressType !== "IPv6") return [];
  const octets = parseIpAddress(address);
  if (octets !== undefined && (octets.length === 4) !== (addressType === "IPv4")) {
    return [invalid(field.replace(/\[\d+\]$/, ""), address, `must be an ${addressType} address`)];
  }
  return ipErrors(address, field);
}

export const endpointSliceStrategy = defineStrategy<EndpointSlice>({
  resource: ENDPOINT_SLICES,
  prepareCreate: (sent) => firstGeneration(sliceDefaults(sent)),
  prepareUpdate: (sent, current) =>
    countedGeneration(sliceDefaults(sent), current, ({ addressType, endpoints, ports, metadata }) => ({
      addressType,
      endpoints,
      ports,
      labels: metadata.labels,
    })),
  validateCreate: (slice) => [...sliceErrors(slice), ...endpointErrors(slice)],
  validateUpdate: (next, current) => [
    ...sliceErrors(next),
    // Addresses that were accepted once are not checked again.
    ...(isSameJson(next.endpoints, current.endpoints) ? [] : endpointErrors(next)),
    ...immutableField("addressType", next.addressType, current.addressType),
  ],
  table: {
    columns: [NAME_COLUMN, column("AddressType"), column("Ports"), column("Endpoints"), column("Age")],
    cells: (slice, nowMs) => {
      const ports = (slice.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port)));
      const addresses = (slice.endpoints ?? []).flatMap(({ addresses: some = [] }) => some);
      return [
        nameOf(slice),
        slice.addressType ?? "",
        shortened(ports, "<unset>"),
        shortened(addresses, "<unset>"),
        ageCell(slice, nowMs),
      ];
    },
  },
});
