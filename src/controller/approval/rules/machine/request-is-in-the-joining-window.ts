// A machine asks soon after it was ordered. Who asks for its name a week later has found an old token.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_SLOWLY_MS, type Rule, refuse, UNREADABLE_REASONS } from "../rule.ts";
import { withMachine } from "./found-machine.ts";
import { machineExists } from "./machine-exists.ts";

export const requestIsInTheJoiningWindow: Rule<ApprovalFacts> = {
  id: "request-is-in-the-joining-window",
  sentence: "the request was made after its Machine and within the joining window of it",
  reasons: [
    ...[...UNREADABLE_REASONS, ...machineExists.reasons],
    ...["MachineAgeIsUnknown", "RequestIsOlderThanItsMachine", "JoiningWindowIsOver"],
  ],
  judge: withMachine((machine, { createdMs, policy }) => {
    if (policy === undefined) return pass("no policy, no window");
    const name = `${machine.namespace}/${machine.name}`;
    const afterMs = createdMs - machine.createdMs;
    if (Number.isNaN(afterMs))
      return notYet("MachineAgeIsUnknown", `Machine ${name} has no creation time`, RETRY_SLOWLY_MS);
    const { joinWindowSeconds, clockSkewSeconds } = policy.client;
    const text = `the request was made ${Math.round(afterMs / 1_000)} s after Machine ${name}`;
    if (afterMs <= -clockSkewSeconds * 1_000)
      return refuse("RequestIsOlderThanItsMachine", `${text}, expected not before it`);
    if (afterMs < joinWindowSeconds * 1_000) return pass(text);
    return refuse(
      "JoiningWindowIsOver",
      `${text}, expected within ${joinWindowSeconds} s; approve by hand or make it anew`,
    );
  }),
};
