// From a node's addresses to the names of its serving certificate, by kubelet's rules: a host name that is an IP address
// counts as one, an IP field that is none is left out, everything once and sorted, so that the same machine always asks for
// the same names. Without any IP address there is nothing to ask for.

import type { NodeAddress } from "../../../api/core/index.ts";
import { formatIpAddress, parseIpAddress } from "../../../kernel/x509/index.ts";
import type { ServingNames } from "../template.ts";

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
