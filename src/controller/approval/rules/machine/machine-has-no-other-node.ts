// A Machine becomes one node. Its nodeRef is set once and never changed, so a Machine with another node is spoken for. Before that
// it may be asked for under several names, of which the first approved one has it: the others wait until the Machine's nodeRef, or
// the end of that request and its Node, says who was right.
// differs from upstream: machine-approver lets every name of a Machine in until its nodeRef is set.

import { nodeNameOf } from "../../../../api/certificates/index.ts";
import type { Machine } from "../../../../api/foreign/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import {
  type Finding,
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
} from "../rule.ts";
import { withMachine } from "./found-machine.ts";
import { machineExists } from "./machine-exists.ts";

export const machineHasNoOtherNode: Rule<ApprovalFacts> = {
  id: "machine-has-no-other-node",
  sentence: "the Machine is no other node, and no other name was approved for it",
  reasons: [
    ...UNREADABLE_REASONS,
    ...machineExists.reasons,
    "MachineHasANode",
    "MachineIsClaimed",
    "HoldersAreNotRead",
  ],
  judge: withMachine((machine, facts, { subject }) => {
    if (machine.nodeName === nodeNameOf(subject.commonName)) return pass();
    if (machine.nodeName === undefined) return judgeHolders(machine, facts);
    return refuse("MachineHasANode", `Machine ${textOf(machine)} is already node ${machine.nodeName}`);
  }),
};

function judgeHolders(machine: Machine, { holders }: ApprovalFacts): Finding {
  if (holders.kind === "NotRead") return notYet("HoldersAreNotRead", holders.why, RETRY_UNREAD_MS);
  const [holder] = holders.kind === "Present" ? holders.value : [];
  if (holder === undefined) return pass();
  const text = `Machine ${textOf(machine)} is asked for as node ${holder.nodeName} already, by ${holder.by}`;
  return notYet("MachineIsClaimed", text, RETRY_SLOWLY_MS);
}

function textOf({ namespace, name }: Machine): string {
  return `${namespace}/${name}`;
}
