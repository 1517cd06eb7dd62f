// Addresses of a Machine or a Node as a set of names in canonical form. An empty list is no list: addresses come after the
// object, and "none yet" must not read as "none of these". Pure.

import type { NodeAddress } from "../../api/core/index.ts";
import { canonicalDns, canonicalIp } from "../../api/countersign/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { MachineMatch, NodeFacts } from "./facts.ts";

export function addressesOfMachine(seen: Seen<MachineMatch>): Seen<ReadonlySet<string>> {
  if (seen.kind === "NotRead") return seen;
  if (seen.kind === "Absent") return { kind: "NotRead", why: "the node has no Machine yet" };
  if (seen.value.kind !== "One") return { kind: "NotRead", why: "it is not clear which Machine is the node's" };
  const { machine } = seen.value;
  if (machine.addresses.length === 0)
    return { kind: "NotRead", why: `Machine ${machine.namespace}/${machine.name} has no addresses yet` };
  return { kind: "Present", value: namesOf(machine.addresses) };
}

export function addressesOfNode(seen: Seen<NodeFacts>): Seen<ReadonlySet<string>> {
  if (seen.kind === "NotRead") return seen;
  if (seen.kind === "Absent") return { kind: "NotRead", why: "the Node is not registered yet" };
  if (seen.value.addresses.length === 0) return { kind: "NotRead", why: "the Node has no addresses yet" };
  return { kind: "Present", value: namesOf(seen.value.addresses) };
}

/** Of all five types: hostnames and DNS names as names, addresses as addresses; a Hostname may be an address too. */
export function namesOf(addresses: readonly NodeAddress[]): ReadonlySet<string> {
  return new Set(addresses.map(({ address }) => canonicalIp(address) ?? canonicalDns(address)));
}
