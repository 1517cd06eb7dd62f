// Before its bootstrap data was made, a Machine cannot have been started: whoever asks in its name now is somebody else, or
// its status is late. OpenShift's Machines know no such step.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_SLOWLY_MS, type Rule, UNREADABLE_REASONS } from "../rule.ts";
import { withMachine } from "./found-machine.ts";
import { machineExists } from "./machine-exists.ts";

export const machineIsReady: Rule<ApprovalFacts> = {
  id: "machine-is-ready",
  sentence: "the bootstrap data of the Machine has been made",
  reasons: [...UNREADABLE_REASONS, ...machineExists.reasons, "MachineIsNotReady"],
  judge: withMachine(({ isBootstrapReady, namespace, name }) =>
    isBootstrapReady === false
      ? notYet(
          "MachineIsNotReady",
          `the bootstrap data of Machine ${namespace}/${name} has not been made`,
          RETRY_SLOWLY_MS,
        )
      : pass(),
  ),
};
