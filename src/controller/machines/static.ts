// The same answers from a list of Machines that does not change: for rehearsals.

import type { Machine } from "../../api/foreign/index.ts";
import { type MachineInventory, namesOf } from "../judging/index.ts";
import { nameKeysOf, placeOf } from "./known-machine.ts";
import { chooseMachine, isInScope, lookUpKeys, ownersAmong, unsaidCluster } from "./match.ts";

export function machinesOf(machines: readonly Machine[]): MachineInventory {
  return {
    find: (query) => {
      const unsaid = unsaidCluster(machines.map(placeOf), query);
      if (unsaid !== undefined) return { kind: "Present", value: unsaid };
      const keys = new Set(lookUpKeys(query));
      const found = machines.filter(
        (machine) => isInScope(machine, query) && nameKeysOf(machine).some((key) => keys.has(key)),
      );
      return chooseMachine(found, query);
    },
    ownersOf: (names, query) =>
      ownersAmong(names, query, (name) => machines.filter(({ addresses }) => namesOf(addresses).has(name))),
    count: () => machines.length,
  };
}
