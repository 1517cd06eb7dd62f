// Whose the provider ID is that a node writes into the request for its next certificate: what its Node says, and which other Node or
// Machine has it. From the copies; most requests carry none, and cost nothing here.

import { MACHINE_NAME_SOURCES } from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import type { Seen } from "../../../kernel/outcome/index.ts";
import type { MachineMatch, ProviderIdFacts } from "../facts.ts";
import type { GatherOptions, Look } from "../look.ts";
import { providerIdOf } from "../provider-id.ts";
import { namesOfMachine } from "./machine.ts";

export function seeProviderId(options: GatherOptions, look: Look): Seen<ProviderIdFacts> {
  const { nodeName, reading, isRenewal, policy } = look;
  const providerId = reading.kind === "Readable" ? providerIdOf(reading.request) : undefined;
  if (!isRenewal || nodeName === undefined || providerId === undefined) return { kind: "Absent" };
  if (!options.hasSynced()) return { kind: "NotRead", why: "the lists of requests and nodes are not complete yet" };
  const { machines, getNode, nodesOfProvider } = options.surroundings;
  const { clusterName, namespace } = policy?.machines ?? {};
  const found = machines.find({ nodeName, providerId, clusterName, namespace, nameFrom: ["ProviderID"] });
  if (found.kind === "NotRead") return found;
  const nodes = nodesOfProvider(providerId).flatMap(({ metadata: { name = "" } }) => (name === nodeName ? [] : [name]));
  const others = [...nodes.map((name) => `node ${name}`), ...otherMachines(found, nodeName)];
  return { kind: "Present", value: { asked: providerId, ofNode: getNode(nodeName)?.spec?.providerID, others } };
}

function otherMachines(found: Seen<MachineMatch>, nodeName: string): readonly string[] {
  const match = found.kind === "Present" ? found.value : undefined;
  switch (match?.kind) {
    case "One":
      return isOf(match.machine, nodeName) ? [] : [describe(match.machine)];
    case "OtherProviderId":
      return [`another than ${describe(match.machine)}, which is this node`];
    case "Several":
      return match.names.map((name) => `Machine ${name}`);
    default:
      // None, or those of several clusters of which nobody said which is this one: then none is held against it.
      return [];
  }
}

function isOf(machine: Machine, nodeName: string): boolean {
  if (machine.nodeName !== undefined) return machine.nodeName === nodeName;
  return namesOfMachine(machine, MACHINE_NAME_SOURCES).includes(nodeName);
}

function describe({ namespace, name }: Machine): string {
  return `Machine ${namespace}/${name}`;
}
