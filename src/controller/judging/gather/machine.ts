// One Machine, several names: until its nodeRef is set a Machine may be asked for under each of its names, or under any
// name by its provider ID. Who has asked before is remembered in the objects: the approved requests and the Nodes.

import { INSECURE_CLIENT_SIGNER, purposeOf } from "../../../api/certificates/index.ts";
import { canonicalDns, MACHINE_NAME_SOURCES, type MachineNameSource } from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import { providerIdOf } from "../../../attestation/evidence/index.ts";
import type { Seen } from "../../../kernel/outcome/index.ts";
import { isBuiltInSigner } from "../../signers.ts";
import type {
  ApprovalFacts,
  Claim,
  MachineHolder,
  MachineMatch,
  MachinesOfProvider,
  ProviderIdFacts,
} from "../facts.ts";
import { type GatherOptions, type Judged, machineQuery, type PlainLook } from "../look.ts";
import { wantedNode } from "../reading.ts";

/** The Machine of a first request that is let in by it. */
export function admittingMachine({ surroundings }: Pick<GatherOptions, "surroundings">, judged: Judged) {
  if (judged.policy?.client.admit !== "Machine") return undefined;
  const query = machineQuery({ ...judged, nodeName: wantedNode(judged.reading) });
  const found = query === undefined ? undefined : surroundings.machines.find(query);
  return found?.kind === "Present" && found.value.kind === "One" ? found.value.machine : undefined;
}

/** Under which names a node of this Machine may ask. */
export function namesOfMachine(
  { name, addresses }: Machine,
  nameFrom: readonly MachineNameSource[],
): readonly string[] {
  const sources: readonly string[] = nameFrom;
  const given = addresses.flatMap(({ type, address }) => (sources.includes(type) ? [canonicalDns(address)] : []));
  return [...new Set([...(sources.includes("MachineName") ? [name] : []), ...given])];
}

/** To be read in the same turn as the claims on the node's own name. */
export function seeHolders(
  options: GatherOptions,
  look: PlainLook,
  seen: ApprovalFacts["machine"],
): Seen<readonly MachineHolder[]> {
  const machine = seen.kind === "Present" && seen.value.kind === "One" ? seen.value.machine : undefined;
  if (machine === undefined || look.policy === undefined) return { kind: "Absent" };
  if (!options.hasSynced()) return { kind: "NotRead", why: "the lists of requests and nodes are not complete yet" };
  const names = namesOfMachine(machine, look.policy.machines.nameFrom);
  const holders = [...holdersByRequest(options, names, machine), ...holdersByNode(options, names, machine)];
  return { kind: "Present", value: holders.filter(({ nodeName }) => nodeName !== look.nodeName) };
}

function holdersByRequest(
  { claims, clock, surroundings }: GatherOptions,
  names: readonly string[],
  { providerId }: Machine,
): readonly MachineHolder[] {
  const isAlive = ({ notAfterMs }: Claim) => notAfterMs === undefined || notAfterMs > clock.now();
  const ofMachine = providerId === undefined ? [] : claims.ofProvider(providerId);
  const found = [...names.flatMap(claims.of), ...ofMachine.filter((claim) => wasHeldToIt(claim, surroundings))];
  return found.filter(isAlive).map(({ nodeName, csrName }) => ({ nodeName, by: `request ${csrName}` }));
}

/**
 * Anybody can write any provider ID into a request, and a node that is in gets its next certificate whatever it writes
 * there. So it binds a Machine only where the request was held to that Machine: in a first request that a policy in
 * Enforce lets in by its Machine, or that proved what it is. Later the Node carries it, or the Machine's nodeRef.
 */
function wasHeldToIt(
  { isFirst, signerName, nodeName }: Claim,
  { policies }: Pick<GatherOptions["surroundings"], "policies">,
): boolean {
  const policy = policies.of(signerName, nodeName);
  const isAttested = purposeOf(signerName) === "NodeClient" && !isBuiltInSigner(signerName);
  const isLetInByIt = policy?.mode === "Enforce" && policy.client.admit === "Machine";
  return isFirst && (isLetInByIt || (isAttested && signerName !== INSECURE_CLIENT_SIGNER));
}

function holdersByNode(
  { surroundings }: GatherOptions,
  names: readonly string[],
  { providerId }: Machine,
): readonly MachineHolder[] {
  const named = names.flatMap((name) => surroundings.getNode(name) ?? []);
  const nodes = [...named, ...(providerId === undefined ? [] : surroundings.nodesOfProvider(providerId))];
  return nodes.map(({ metadata: { name = "" } }) => ({ nodeName: name, by: `node ${name}` }));
}

// Whose the provider ID is that a node writes into the request for its next certificate: what its Node says, and which
// other Node or Machine has it. From the copies; most requests carry none, and cost nothing here.
export function seeProviderId(options: GatherOptions, look: PlainLook): Seen<ProviderIdFacts> {
  const { nodeName, reading, isRenewal, policy } = look;
  const providerId = reading.kind === "Readable" ? providerIdOf(reading.request) : undefined;
  if (!isRenewal || nodeName === undefined || providerId === undefined) return { kind: "Absent" };
  if (!options.hasSynced()) return { kind: "NotRead", why: "the lists of requests and nodes are not complete yet" };
  const { machines, getNode, nodesOfProvider } = options.surroundings;
  const { clusterName, namespace } = policy?.machines ?? {};
  const found = machines.find({ nodeName, providerId, clusterName, namespace, nameFrom: ["ProviderID"] });
  const others = nodesOfProvider(providerId).filter(({ metadata }) => metadata.name !== nodeName);
  return {
    kind: "Present",
    value: {
      asked: providerId,
      ofNode: getNode(nodeName)?.spec?.providerID,
      nodes: others.map(({ metadata: { name = "" } }) => `node ${name}`),
      machines: found.kind === "Present" ? { kind: "Present", value: otherMachines(found.value, nodeName) } : found,
    },
  };
}

const NONE: MachinesOfProvider = { taken: [], waiting: [] };

function otherMachines(match: MachineMatch, nodeName: string): MachinesOfProvider {
  switch (match.kind) {
    case "One":
      return isOf(match.machine, nodeName) ? NONE : held(describe(match.machine), match.machine.nodeName !== undefined);
    case "OtherProviderId":
      return held(`another than ${describe(match.machine)}, which is this node`, false);
    case "Several": {
      const isTaken = match.nodeNames.some((name) => name !== nodeName);
      return held(`Machines ${match.names.join(", ")}`, isTaken);
    }
    default:
      // Those of several clusters, and it is not said which is this one: then none is held against it.
      return NONE;
  }
}

function held(words: string, isTaken: boolean): MachinesOfProvider {
  return isTaken ? { taken: [words], waiting: [] } : { taken: [], waiting: [words] };
}

function isOf(machine: Machine, nodeName: string): boolean {
  if (machine.nodeName !== undefined) return machine.nodeName === nodeName;
  return namesOfMachine(machine, MACHINE_NAME_SOURCES).includes(nodeName);
}

function describe({ namespace, name }: Machine): string {
  return `Machine ${namespace}/${name}`;
}
