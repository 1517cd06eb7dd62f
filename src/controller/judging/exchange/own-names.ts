// Whose the names of a serving request with evidence are: those of its machine, by its
// Machine and the policy's inventory, and those that others have. A network of the policy holds every node in it, and a
// Node's addresses are its kubelet's own word: neither may let one node speak for its neighbour.

import type { Node } from "../../../api/core/index.ts";
import { canonicalDns, canonicalIp, claimantOf, isInPrefix, matchesName } from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import type { EvidenceFacts } from "../../../attestation/rules/index.ts";
import type { Seen } from "../../../kernel/outcome/index.ts";
import type { MachineQuery } from "../look.ts";
import type { AttestationWorld, EvidenceLook } from "./world.ts";

/** Names and addresses of the machine: its Machine's, and what the policy's inventory adds. */
export function seeOwnNames(
  look: EvidenceLook,
  machines: Seen<readonly Machine[]>,
  node: Seen<Node>,
): Seen<readonly string[]> {
  const { policy, envelope } = look;
  if (envelope?.purpose !== "serving") return { kind: "Absent" };
  if (machines.kind === "NotRead") return machines;
  const hasMachine = machines.kind === "Present" && machines.value.length > 0;
  if (!hasMachine && policy === undefined) return { kind: "NotRead", why: needsPolicy(look) };
  const inventory = policy?.serving.inventory;
  const own = inventory?.machineAddresses === false ? [] : addressesOf(machines);
  const ofNode =
    inventory?.nodeAddresses === true && node.kind === "Present" ? (node.value.status?.addresses ?? []) : [];
  const listed = (inventory?.allow ?? []).filter(({ nodeNames }) => matchesName(nodeNames, envelope.node));
  const inNetworks = namesAskedFor(look).filter((name) =>
    inventory?.ipPrefixes.some((prefix) => isInPrefix(name, prefix)),
  );
  const names = [
    ...own,
    ...ofNode.map(({ address }) => address),
    ...listed.flatMap(({ names: some }) => some),
    ...inNetworks,
  ];
  return { kind: "Present", value: names.length === 0 ? [] : [...names, canonicalDns(envelope.node)] };
}

/** Without a Machine only a policy can say which names and addresses are this machine's. */
function needsPolicy({ object }: EvidenceLook): string {
  return `no Machine and no JoinPolicy says which names are this machine's: one for ${object.signerName} is needed, see deploy/policies/serving.yaml`;
}

/**
 * What the infrastructure says of this machine counts before what a neighbour says of itself, or one could take all
 * others' addresses; but a name that a Node is registered under is that Node's, whatever another source says. What only
 * the neighbour's status says is a dispute: no proof that the name is the neighbour's.
 */
export function seeForeignNames(
  { nodesNamed, machineOwners }: Pick<AttestationWorld, "nodesNamed" | "machineOwners">,
  look: EvidenceLook,
  { machines, scope }: { readonly machines: Seen<readonly Machine[]>; readonly scope: Scope },
): Pick<EvidenceFacts, "foreignNames" | "disputedNames"> {
  const { envelope } = look;
  const disputedNames = new Map<string, string>();
  if (envelope?.purpose !== "serving") return { foreignNames: { kind: "Absent" }, disputedNames };
  const inventory = look.policy?.serving.inventory;
  const given = new Set([...addressesOf(machines), envelope.node].map(canonical));
  const asked = namesAskedFor(look);
  const query = { ...scope, nodeName: envelope.node, providerId: envelope.providerId, nameFrom: [] };
  const isStray = (name: string) => !given.has(name);
  const owners = new Map<string, string>(machineOwners(asked.filter(isStray), query));
  for (const name of asked) {
    const named = nodesNamed(name).flatMap(({ metadata }) => metadata.name ?? []);
    const others = named.filter((one) => one !== envelope.node);
    const claimant = isStray(name) ? claimantOf(name, { asking: envelope.node, others, inventory }) : undefined;
    if (others.includes(name)) owners.set(name, `node ${name}`);
    else if (claimant !== undefined) disputedNames.set(name, claimant);
  }
  return { foreignNames: { kind: "Present", value: owners }, disputedNames };
}

type Scope = Pick<MachineQuery, "clusterName" | "namespace">;

function addressesOf(machines: Seen<readonly Machine[]>): readonly string[] {
  const found = machines.kind === "Present" ? machines.value : [];
  return found.flatMap(({ addresses }) => addresses.map(({ address }) => address));
}

function namesAskedFor({ reading }: EvidenceLook): readonly string[] {
  const names = reading.request.ok ? reading.request.value.parsed.subjectAltNames : undefined;
  return [...(names?.dnsNames ?? []), ...(names?.ipAddresses ?? [])].map(canonical);
}

/** An address in its one spelling, else a name in lower case. */
function canonical(name: string): string {
  return canonicalIp(name) ?? canonicalDns(name);
}
