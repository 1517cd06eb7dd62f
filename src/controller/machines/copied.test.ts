import { expect, it } from "vitest";
import { aMachine } from "../../../test/builders/csr-facts.ts";
import { createObjectStore } from "../../platform/kube/informer/store.ts";
import { machinesByProviderId } from "./copied.ts";
import { indexesOfMachines, type KnownMachine } from "./known-machine.ts";

it("of a hundred thousand Machines the one with a provider ID is all that is taken from the copy", () => {
  const store = createObjectStore<KnownMachine>({ indexes: indexesOfMachines() });
  const known = (at: number): KnownMachine => {
    const metadata = { name: `machine-${at}`, namespace: "default", uid: `${at}` };
    const machine = aMachine({ ...metadata, providerId: `test:///${at}`, addresses: [] });
    return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata, machine };
  };
  store.replace(Array.from({ length: 100_000 }, (_, at) => known(at)));
  let taken = 0;
  const counting: Pick<typeof store, "byIndex" | "indexValues"> = {
    byIndex: (index, value) => {
      const found = store.byIndex(index, value);
      taken += found.length;
      return found;
    },
    indexValues: function* (index) {
      for (const value of store.indexValues(index)) {
        taken++;
        yield value;
      }
    },
  };
  const scope = { clusterName: "one", namespace: undefined };
  expect(machinesByProviderId([counting], "test:///77777", scope)).toMatchObject({
    value: [{ name: "machine-77777" }],
  });
  expect(machinesByProviderId([counting], "test:///nobody", scope)).toEqual({ kind: "Present", value: [] });
  // The Machine, and twice the one word for where they all are.
  expect(taken).toBe(3);
});
