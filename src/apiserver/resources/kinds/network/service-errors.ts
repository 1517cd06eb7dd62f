// Validation of a Service: kubernetes/pkg/apis/core/validation. Whether its address is free is checked against
// the other Services at hand (service-addresses.ts).

import type { ServicePort, ServiceSpec } from "../../../../api/core/index.ts";
import { parseIpAddress } from "../../../../kernel/x509/index.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  isRepeated,
  notSupported,
  required,
} from "../../field-error.ts";
import { dnsLabel, dnsSubdomain, portName, portNumber } from "../../names.ts";
import { HEADLESS, isHeadless } from "./service-defaults.ts";

const TYPES: readonly string[] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const AFFINITIES: readonly string[] = ["ClientIP", "None"];
export const PROTOCOLS: readonly string[] = ["SCTP", "TCP", "UDP"];
const FAMILIES: readonly string[] = ["IPv4", "IPv6"];
const POLICIES: readonly string[] = ["PreferDualStack", "RequireDualStack", "SingleStack"];
export const IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

export function serviceErrors(spec: ServiceSpec): readonly FieldError[] {
  const { ports = [], type = "" } = spec;
  return [
    ...(ports.length === 0 && !isHeadless(spec) && type !== "ExternalName" ? [required("spec.ports")] : []),
    ...typeErrors(spec),
    ...ports.flatMap((port, at) => portErrors(port, at, ports)),
    ...affinityErrors(spec.sessionAffinity ?? ""),
    ...(type === "ExternalName" ? [] : addressErrors(spec)),
    ...(TYPES.includes(type) ? [] : [notSupported("spec.type", type, TYPES)]),
    ...nodePortErrors(spec),
    ...repeatedPortErrors(ports),
  ];
}

function typeErrors(spec: ServiceSpec): readonly FieldError[] {
  const { type = "" } = spec;
  if (type === "ExternalName") return externalNameErrors(spec);
  if ((type !== "LoadBalancer" && type !== "NodePort") || !isHeadless(spec)) return [];
  return [invalid("spec.clusterIPs[0]", HEADLESS, `may not be set to '${HEADLESS}' for ${type} services`)];
}

function externalNameErrors(spec: ServiceSpec): readonly FieldError[] {
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  const isSet = {
    clusterIPs: (spec.clusterIPs ?? []).length > 0,
    ipFamilies: (spec.ipFamilies ?? []).length > 0,
    ipFamilyPolicy: spec.ipFamilyPolicy !== undefined,
  };
  return [
    ...Object.entries(isSet)
      .filter(([, set]) => set)
      .map(([field]) => forbiddenField(`spec.${field}`, "may not be set for ExternalName services")),
    ...(name === ""
      ? [required("spec.externalName")]
      : dnsSubdomain(name).map((text) => invalid("spec.externalName", name, text))),
  ];
}

const byName = ({ name = "" }: ServicePort) => name;
const byPort = ({ port = 0, protocol = "" }: ServicePort) => `${port} ${protocol}`;
const byNodePort = ({ nodePort = 0, protocol = "" }: ServicePort) => `${nodePort} ${protocol}`;

function portErrors(port: ServicePort, at: number, all: readonly ServicePort[]): readonly FieldError[] {
  const field = `spec.ports[${at}]`;
  const { name = "", protocol = "", targetPort = 0 } = port;
  return [
    ...(name === "" && all.length > 1 ? [required(`${field}.name`)] : []),
    ...(name === "" ? [] : dnsLabel(name).map((text) => invalid(`${field}.name`, name, text))),
    ...(name !== "" && isRepeated(all, at, byName) ? [duplicate(`${field}.name`, name)] : []),
    ...portNumber(port.port ?? 0).map((text) => invalid(`${field}.port`, port.port ?? 0, text)),
    ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ...(typeof targetPort === "number" ? portNumber(targetPort) : portName(targetPort)).map((text) =>
      invalid(`${field}.targetPort`, targetPort, text),
    ),
  ];
}

function affinityErrors(affinity: string): readonly FieldError[] {
  return AFFINITIES.includes(affinity) ? [] : [notSupported("spec.sessionAffinity", affinity, AFFINITIES)];
}

function addressErrors(spec: ServiceSpec): readonly FieldError[] {
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const field = "spec.clusterIPs";
  return [
    ...(clusterIP !== "" && clusterIPs[0] !== clusterIP
      ? [invalid(field, clusterIPs, "first value must match `clusterIP`")]
      : []),
    ...(clusterIP === "" && clusterIPs.length > 0
      ? [invalid(field, clusterIPs, "must be empty when `clusterIP` is not specified")]
      : []),
    ...ipFamilies
      .filter((family) => !FAMILIES.includes(family))
      .map((family) => notSupported(`spec.ipFamilies[${ipFamilies.indexOf(family)}]`, family, FAMILIES)),
    ...(ipFamilyPolicy === undefined || POLICIES.includes(ipFamilyPolicy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, POLICIES)]),
    ...clusterIPs.flatMap((ip, at) =>
      (at === 0 && ip === HEADLESS) || parseIpAddress(ip) !== undefined
        ? []
        : [invalid(`${field}[${at}]`, ip, IP_TEXT)],
    ),
  ];
}

function nodePortErrors({ type, ports = [] }: ServiceSpec): readonly FieldError[] {
  return ports.flatMap(({ nodePort = 0 }, at) => {
    const field = `spec.ports[${at}].nodePort`;
    return [
      ...(type === "ClusterIP" && nodePort !== 0
        ? [forbiddenField(field, "may not be used when `type` is 'ClusterIP'")]
        : []),
      ...(nodePort !== 0 && isRepeated(ports, at, byNodePort) ? [duplicate(field, nodePort)] : []),
    ];
  });
}

function repeatedPortErrors(ports: readonly ServicePort[]): readonly FieldError[] {
  return ports.flatMap(({ port, protocol }, at) =>
    isRepeated(ports, at, byPort) ? [duplicate(`spec.ports[${at}]`, { port, protocol })] : [],
  );
}

/** The address of a Service is immutable, except when its type changes from or to ExternalName. */
export function serviceChangeErrors(next: ServiceSpec, current: ServiceSpec): readonly FieldError[] {
  if (next.type === "ExternalName" || current.type === "ExternalName") return [];
  const [before, after] = [current.clusterIPs ?? [], next.clusterIPs ?? []];
  if (after.length === 0 && before.length > 0) {
    return [invalid("spec.clusterIPs[0]", after, "primary clusterIP can not be unset")];
  }
  return before[0] === after[0] ? [] : [invalid("spec.clusterIPs[0]", after, "may not change once set")];
}
