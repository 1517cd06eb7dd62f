// The address under which others reach a server of this machine.

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * The address that the server listens on; for one that means "all of them", the machine's first own address, as kube-apiserver
 * chooses its --advertise-address. Undefined on a machine without a network, and where the server listens to itself alone: nobody
 * else reaches it.
 */
export function dialableAddress(host: string): string | undefined {
  if (isIP(host) !== 0 && !isOfThisMachine(host)) return host;
  if (!UNSPECIFIED.includes(host)) return undefined;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outside = all.filter(({ internal, address }) => !internal && !isOfThisMachine(address));
  return (outside.find(({ family }) => family === "IPv4") ?? outside[0])?.address;
}

const UNSPECIFIED: readonly string[] = ["0.0.0.0", "::"];

/** Loopback, unspecified and link-local addresses mean something else to everybody who reads them. */
function isOfThisMachine(address: string): boolean {
  return /^(?:127\.|0\.0\.0\.0$|169\.254\.|::1?$|fe[89ab])/i.test(address);
}
