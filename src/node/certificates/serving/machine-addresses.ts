// The addresses of this machine: its host name, and the IP addresses of the interfaces that lead out of it. The others belong
// to bridges and tunnels of containers, which come and go with every pod.

import { readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import type { NodeAddress } from "../../../api/core/index.ts";

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
 * The interfaces of default routes, from the kernel's two tables: columns `Iface Destination …` with the destination 0, and
 * for IPv6 destination and prefix length first, the interface last (`lo` holds the routes that lead nowhere).
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
