// A Machine becomes one node. Its nodeRef is set once and never changed, so a Machine with another node is spoken for.

import { nodeNameOf } from "../../../../api/certificates/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS } from "../rule.ts";
import { withMachine } from "./found-machine.ts";
import { machineExists } from "./machine-exists.ts";

export const machineHasNoOtherNode: Rule<ApprovalFacts> = {
  id: "machine-has-no-other-node",
  sentence: "the Machine has no node, or the one that asks",
  reasons: [...UNREADABLE_REASONS, ...machineExists.reasons, "MachineHasANode"],
  judge: withMachine((machine, _facts, { subject }) => {
    if (machine.nodeName === undefined || machine.nodeName === nodeNameOf(subject.commonName)) return pass();
    return refuse(
      "MachineHasANode",
      `Machine ${machine.namespace}/${machine.name} is already node ${machine.nodeName}`,
    );
  }),
};
