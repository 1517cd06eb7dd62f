// The names of a node's serving certificate, and the addresses of this machine that they come from. By kubelet's rules:
// a host name that is an IP address counts as one, an IP field that is none is left out, each once and sorted, so that
// the same machine always requests the same names. Without an IP address nothing is requested.

import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import type { NodeAddress } from "../../api/core/index.ts";
import { formatIpAddress, parseIpAddress } from "../../kernel/x509/index.ts";
import type { ServingNames } from "./template.ts";

export function servingNamesOf(addresses: readonly NodeAddress[]): ServingNames | undefined {
  const dnsNames = new Set<string>();
  const ipAddresses = new Set<string>();
  for (const { type, address } of addresses) {
    const octets = parseIpAddress(address);
    if (octets !== undefined && !type.endsWith("DNS")) ipAddresses.add(formatIpAddress(octets));
    else if (octets === undefined && address !== "" && !type.endsWith("IP")) dnsNames.add(address);
  }
  if (ipAddresses.size === 0) return undefined;
  return { dnsNames: [...dnsNames].sort(), ipAddresses: [...ipAddresses].sort() };
}

/**
 * The host name, and the IP addresses of the interfaces with a default route. The others belong to bridges and tunnels
 * of containers, which change with every pod.
 */
export function machineAddresses(): readonly NodeAddress[] {
  const all = networkInterfaces();
  const leading = defaultInterfaces(readText("/proc/net/route"), readText("/proc/net/ipv6_route"));
  const names = Object.keys(all).filter((name) => leading.size === 0 || leading.has(name));
  const ips = names
    .flatMap((name) => all[name] ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  return [
    { type: "Hostname", address: hostname().toLowerCase() },
    ...ips.map(({ address }) => ({ type: "InternalIP", address })),
  ];
}

/**
 * The interfaces of default routes, from the kernel's two tables: columns `Iface Destination …` with the destination 0;
 * for IPv6 destination and prefix length first, the interface last (`lo` has the unreachable routes).
 */
export function defaultInterfaces(routes: string, ipv6Routes: string): ReadonlySet<string> {
  const v4 = rowsOf(routes).flatMap(([name = "", destination]) => (destination === "00000000" ? [name] : []));
  const v6 = rowsOf(ipv6Routes).flatMap(([destination = "", length, ...rest]) =>
    /^0{32}$/.test(destination) && length === "00" ? [rest.at(-1) ?? ""] : [],
  );
  return new Set([...v4, ...v6].filter((name) => name !== "" && name !== "lo"));
}

function rowsOf(table: string): string[][] {
  return table.split("\n").map((line) => line.trim().split(/\s+/));
}

function isLinkLocal(address: string): boolean {
  return /^169\.254\.|^fe[89ab]/i.test(address);
}

/** Empty where there is no such table; every interface counts then. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
