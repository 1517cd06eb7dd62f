// Behind every node is a Machine that somebody ordered. It is found by the names it is to have, by its Node once it has one, or
// by the provider ID in the request. Not found is "not yet": addresses come late, and the Machine may be on its way.

import type { ApprovalFacts, MachineMatch } from "../../facts.ts";
import { type Finding, notYet, pass, RETRY_SLOWLY_MS, RETRY_UNREAD_MS, type Rule, refuse } from "../rule.ts";

export const machineExists: Rule<ApprovalFacts> = {
  id: "machine-exists",
  sentence: "exactly one Machine of this cluster is the one that asks, and it is not being deleted",
  reasons: [
    ...["MachinesAreNotRead", "MachineIsUnknown", "SeveralMachinesMatch", "ClusterIsUnsaid"],
    ...["ProviderIdIsAnother", "MachineIsBeingDeleted"],
  ],
  judge: ({ machine, policy }) => {
    if (machine.kind === "NotRead") return notYet("MachinesAreNotRead", machine.why, RETRY_UNREAD_MS);
    if (machine.kind === "Present") return judgeMatch(machine.value);
    const sources = policy?.machines.nameFrom.join(", ") ?? "name";
    // The one kind of instance for which none may ever come: docs/guides/controller.md says what to do.
    const text = `no Machine has the node's name as ${sources}, or not yet; a MachinePool may have none for its instances`;
    return notYet("MachineIsUnknown", text, RETRY_SLOWLY_MS);
  },
};

function judgeMatch(match: MachineMatch): Finding {
  switch (match.kind) {
    case "One":
      return match.machine.isDeleting
        ? refuse("MachineIsBeingDeleted", `Machine ${textOf(match.machine)} is being deleted`)
        : pass(`Machine ${textOf(match.machine)}`);
    case "Several":
      return notYet(
        "SeveralMachinesMatch",
        `Machines ${match.names.join(", ")} all have the node's name`,
        RETRY_SLOWLY_MS,
      );
    case "OtherProviderId":
      return refuse(
        "ProviderIdIsAnother",
        `the request says provider ID ${JSON.stringify(match.providerId)}, which is not that of Machine ${textOf(match.machine)}`,
      );
    case "ClusterIsUnsaid":
      return notYet(
        "ClusterIsUnsaid",
        `there are Machines of the clusters ${match.clusters.join(", ")}; say in spec.machines.clusterName and namespace which is this one`,
        RETRY_SLOWLY_MS,
      );
  }
}

function textOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
