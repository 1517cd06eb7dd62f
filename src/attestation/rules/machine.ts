// Rules about the Machine of Cluster API that waits for the node, and about the name of the node.

import type { Machine } from "../../api/foreign/index.ts";
import { type Finding, notYet, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import type { Envelope } from "../evidence/index.ts";
import { type EvidenceFacts, RETRY_UNREAD_MS } from "./facts.ts";
import { isOpened, pinsOf } from "./identity.ts";
import { withEvidence } from "./with-evidence.ts";

/**
 * An identity that an operator enrolled takes the Machine's place: in a cluster without Machines, and beside them for a
 * machine that Cluster API does not know.
 */
const RETRY_MS = 10_000;
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
    if (machine === undefined && isEnrolled(facts, envelope)) return judgeEnrolled(facts, envelope);
    if (machine === undefined)
      return notYet("MachineNotReady", `no Machine has provider ID ${envelope.providerId} yet`, RETRY_MS);
    if (second !== undefined) return refuse("MachineMismatch", "more than one Machine has this provider ID");
    return judgeMachine(machine, envelope, facts);
  }),
};

/** A node that joined by a Machine stays with it: its identity was not enrolled by an operator. */
function hadMachine({ identity }: EvidenceFacts): boolean {
  return identity.kind === "Present" && identity.value.status?.machine !== undefined;
}

/**
 * Two Clusters of one name in two namespaces would share the identities of their nodes: a node that was attested in one
 * is refused in the other, and is not told where it was. Name and uid may differ, as they do after a move to another
 * management cluster.
 */
function isOfAnotherPlace({ namespace }: Machine, { identity }: EvidenceFacts): boolean {
  const pinned = pinsOf(identity)?.machine;
  return pinned !== undefined && pinned.namespace !== namespace;
}

/** A node that an operator retired must be enrolled again. */
function isEnrolled({ identity }: EvidenceFacts, { node }: Pick<Envelope, "node">): boolean {
  const { spec } = identity.kind === "Present" ? identity.value : {};
  return spec?.nodeName === node && spec.retired !== true;
}

function judgeEnrolled(facts: EvidenceFacts, { node, providerId }: Envelope): Finding {
  const isMine = (machine: TokenMachine) => machine.name === node;
  // An enrolled machine is not kept out by a node that took its provider ID without proving anything.
  const alone = judgeHolders(facts, {
    shown: `the machine with provider ID ${providerId}`,
    counts: ({ isProven }) => isProven || !isEnrolled(facts, { node }),
  });
  if (alone.kind !== "Pass") return alone;
  if (facts.mayJoinUnenrolled === true) return judgeToken(facts, isMine, "nobody needs to be enrolled here");
  if (hadMachine(facts)) return refuse("MachineMismatch", `the Machine with which ${node} joined is gone`);
  return isEnrolled(facts, { node })
    ? judgeToken(facts, isMine, "enrolled by an operator")
    : refuse("NodeNotEnrolled", `the cluster has no Machines, and no operator enrolled ${node}`);
}

function judgeMachine(machine: Machine, envelope: Envelope, facts: EvidenceFacts): Finding {
  const shown = `Machine ${machine.namespace}/${machine.name}`;
  if (machine.isDeleting) return refuse("MachineMismatch", `${shown} is being deleted`);
  if (isOfAnotherPlace(machine, facts) && !isOpened(facts, envelope))
    return refuse("MachineMismatch", `${envelope.node} was attested as a Machine of another namespace than ${shown}`);
  if (machine.isBootstrapReady === false)
    return notYet("MachineNotReady", `${shown} has no bootstrap data yet`, RETRY_MS);
  if (machine.nodeName !== undefined && machine.nodeName !== envelope.node)
    return refuse("MachineMismatch", `${shown} has the node ${machine.nodeName}`);
  const alone = judgeHolders(facts, { shown });
  if (alone.kind !== "Pass") return alone;
  const name = judgeName(machine, envelope.node, facts.templateNames);
  if (name.kind !== "Pass") return name;
  return judgeToken(facts, (of) => of.namespace === machine.namespace && of.name === machine.name, shown);
}

/** One machine is one node, under whatever names a template, a pool or an operator would expect it. */
function judgeHolders({ machineHolders }: EvidenceFacts, { shown, counts = () => true }: OneNode): Finding {
  if (machineHolders.kind === "NotRead") return notYet("IdentityNotRead", machineHolders.why, RETRY_UNREAD_MS);
  const holder = machineHolders.kind === "Present" ? machineHolders.value.find(counts) : undefined;
  return holder === undefined ? pass() : refuse("MachineMismatch", `${shown} is that of node ${holder.node}`);
}

interface OneNode {
  readonly shown: string;
  /** Which holders count. Default: all. */
  readonly counts?: (holder: Extract<EvidenceFacts["machineHolders"], { kind: "Present" }>["value"][number]) => boolean;
}

function judgeName(machine: Machine, node: string, templateNames: readonly string[]): Finding {
  const named = machine.addresses.filter(({ type }) => NAME_ADDRESSES.includes(type)).map(({ address }) => address);
  if ([machine.name, machine.nodeName, ...named, ...templateNames].includes(node)) return pass();
  if (machine.isPoolMember === true)
    return refuse("MachineMismatch", `${node} is no name that the policy's template gives for pool ${machine.name}`);
  if (named.length === 0)
    return notYet(
      "MachineAddressesMissing",
      `Machine ${machine.name} has no host name yet to compare ${node} with`,
      RETRY_MS,
    );
  return refuse("MachineMismatch", `${node} is none of the names of Machine ${machine.namespace}/${machine.name}`);
}

type TokenMachine = Extract<EvidenceFacts["tokenMachine"], { kind: "Present" }>["value"];

/** A token that may be bound to another Machine is waited for: what could not be read is never taken for unbound. */
function judgeToken({ tokenMachine }: EvidenceFacts, isMine: (of: TokenMachine) => boolean, note: string): Finding {
  if (tokenMachine.kind === "NotRead") return notYet("TokenNotRead", tokenMachine.why, RETRY_UNREAD_MS);
  if (tokenMachine.kind === "Absent") return pass(note);
  const { namespace, name } = tokenMachine.value;
  return isMine(tokenMachine.value)
    ? pass(`${note}, with its own token`)
    : refuse("BootstrapTokenForOtherMachine", `the bootstrap token was made for Machine ${namespace}/${name}`);
}

/**
 * For providers without hardware of their own: an instance document that is shown a week after its Machine was made may
 * have been found or copied.
 */
export const machineIsYoung: Rule<EvidenceFacts> = {
  id: "machine-is-young",
  sentence: "a first join comes within the joining window of its Machine",
  judge: withEvidence(({ envelope }, facts) => {
    const { machines, identity, joinWindowMs, nowMs } = facts;
    if (envelope.intent !== "join") return pass();
    const machine = machines.kind === "Present" ? machines.value[0] : undefined;
    if (machine === undefined || machine.isPoolMember === true) return pass("no Machine has an age here");
    const isKnown = pinsOf(identity)?.provider === envelope.protocol.provider;
    if (isKnown || isOpened(facts, envelope)) return pass("not the first join");
    const ageMs = nowMs - machine.createdMs;
    return ageMs <= joinWindowMs
      ? pass()
      : refuse("JoiningWindowIsOver", `Machine ${machine.namespace}/${machine.name} was made ${minutes(ageMs)} ago`);
  }),
};

function minutes(ms: number): string {
  return Number.isFinite(ms) ? `${Math.round(ms / 60_000)} minutes` : "nobody knows how long";
}

/**
 * For providers without a TPM: the pins of the identity, to which the provider's verifier holds the machine, take the
 * place of the endorsement key.
 */
export const nodeIsItsOwn: Rule<EvidenceFacts> = {
  id: "node-is-its-own",
  sentence: "no Node has the name, unless its identity was attested by this provider",
  judge: withEvidence(({ envelope }, facts) => {
    const { node, identity } = facts;
    if (node.kind === "NotRead") return notYet("NodeNotRead", node.why, RETRY_UNREAD_MS);
    if (node.kind === "Absent") return pass();
    const isOwn = pinsOf(identity)?.provider === envelope.protocol.provider;
    return isOwn || isOpened(facts, envelope)
      ? pass("the node's own identity")
      : refuse("NodeNameTaken", `a Node ${envelope.node} exists and was not attested by this provider`);
  }),
};
