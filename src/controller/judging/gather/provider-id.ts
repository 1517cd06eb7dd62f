// Whose the provider ID is that a node writes into the request for its next certificate: what its Node says, and which other Node or
// Machine has it. From the copies; most requests carry none, and cost nothing here.

import { MACHINE_NAME_SOURCES } from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import { providerIdOf } from "../../../attestation/evidence/index.ts";
import type { Seen } from "../../../kernel/outcome/index.ts";
import type { MachineMatch, MachinesOfProvider, ProviderIdFacts } from "../facts.ts";
import type { GatherOptions, Look } from "../look.ts";
import { namesOfMachine } from "./machine.ts";

export function seeProviderId(options: GatherOptions, look: Look): Seen<ProviderIdFacts> {
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
      // Those of several clusters of which nobody said which is this one: then none is held against it.
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
