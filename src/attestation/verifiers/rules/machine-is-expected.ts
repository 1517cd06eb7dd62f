// H17. A Machine of this cluster waits for this node; in a cluster without Machines, an identity that the operator made
// beforehand takes its place.
import type { Machine } from "../../../api/foreign/index.ts";
import { type Finding, notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { Envelope } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withEvidence } from "../with-evidence.ts";

const RETRY_MS = 10_000;
const RETRY_UNREAD_MS = 2_000;
const NAME_ADDRESSES: readonly string[] = ["Hostname", "InternalDNS", "ExternalDNS"];

export const machineIsExpected: Rule<EvidenceFacts> = {
  id: "machine-is-expected",
  sentence: "exactly one live Machine has this provider ID and is for this node, or an operator enrolled the node",
  judge: withEvidence(({ envelope }, facts) => {
    const { machines } = facts;
    if (machines.kind === "NotRead") return notYet("MachineNotReady", machines.why, RETRY_UNREAD_MS);
    if (machines.kind === "Absent") return judgeEnrolled(facts, envelope);
    const [machine, second] = machines.value;
    if (machine === undefined && hadMachine(facts))
      return refuse("MachineMismatch", `the Machine with which ${envelope.node} joined is gone`);
    if (machine === undefined)
      return notYet("MachineNotReady", `no Machine has provider ID ${envelope.providerId} yet`, RETRY_MS);
    if (second !== undefined) return refuse("MachineMismatch", "more than one Machine has this provider ID");
    return judgeMachine(machine, envelope, facts);
  }),
};

/** A node that joined by a Machine stays with it: an identity that was made then is no word of an operator's. */
function hadMachine({ identity }: EvidenceFacts): boolean {
  return identity.kind === "Present" && identity.value.status?.machine !== undefined;
}

function judgeEnrolled(facts: EvidenceFacts, { node }: Envelope): Finding {
  const { identity } = facts;
  if (facts.mayJoinUnenrolled === true) return pass("nobody needs to be enrolled here");
  if (hadMachine(facts)) return refuse("MachineMismatch", `the Machine with which ${node} joined is gone`);
  const isEnrolled = identity.kind === "Present" && identity.value.spec.nodeName === node;
  return isEnrolled
    ? pass("enrolled by an operator")
    : refuse("NodeNotEnrolled", `the cluster has no Machines, and no operator enrolled ${node}`);
}

function judgeMachine(machine: Machine, envelope: Envelope, facts: EvidenceFacts): Finding {
  const shown = `Machine ${machine.namespace}/${machine.name}`;
  if (machine.isDeleting) return refuse("MachineMismatch", `${shown} is being deleted`);
  if (machine.isBootstrapReady === false)
    return notYet("MachineNotReady", `${shown} has no bootstrap data yet`, RETRY_MS);
  if (machine.nodeName !== undefined && machine.nodeName !== envelope.node)
    return refuse("MachineMismatch", `${shown} has the node ${machine.nodeName}`);
  const name = judgeName(machine, envelope.node, facts.templateNames);
  return name.kind === "Pass" ? judgeToken(machine, facts) : name;
}

function judgeName(machine: Machine, node: string, templateNames: readonly string[]): Finding {
  const named = machine.addresses.filter(({ type }) => NAME_ADDRESSES.includes(type)).map(({ address }) => address);
  if ([machine.name, machine.nodeName, ...named, ...templateNames].includes(node)) return pass();
  if (named.length === 0)
    return notYet(
      "MachineAddressesMissing",
      `Machine ${machine.name} has no host name yet to compare ${node} with`,
      RETRY_MS,
    );
  return refuse("MachineMismatch", `${node} is none of the names of Machine ${machine.namespace}/${machine.name}`);
}

function judgeToken(machine: Machine, { tokenMachine }: EvidenceFacts): Finding {
  if (tokenMachine.kind !== "Present") return pass(`Machine ${machine.namespace}/${machine.name}`);
  const { namespace, name } = tokenMachine.value;
  return namespace === machine.namespace && name === machine.name
    ? pass(`Machine ${namespace}/${name}, with its own token`)
    : refuse("BootstrapTokenForOtherMachine", `the bootstrap token was made for Machine ${namespace}/${name}`);
}
