// The addresses of the machine, or of the pod, that this program runs on.

import { networkInterfaces } from "node:os";

export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
