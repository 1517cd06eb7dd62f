// Rules about the machine behind the request: its Machine, its Node, and other claims on its name. Pure.

import { nodeNameOf } from "../../../api/certificates/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import type { CertificateRequest } from "../../../kernel/x509/index.ts";
import type { ApprovalFacts, Claim, MachineMatch } from "../facts.ts";
import { isRenewal, keyDigestOf } from "../facts.ts";
import {
  type Finding,
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "./rule.ts";

// A bootstrap credential is shared by many machines, so it must never buy the name of a machine that has joined. Two
// witnesses: the Node object, and the approved requests of that name, for the time between approval and registration.
// The first approved key wins; it keeps the name as long as its request stands (not cleaned, certificate not expired).
// The same key may ask again: a node that crashed before it stored its certificate does. A request that was refused for
// its name stays refused when the name becomes free: else a requester that asks for a registered name and waits would
// get it the moment an operator deletes the Node to set the machine up anew.
// differs from upstream: kube-controller-manager gives a first certificate for any name, at any time.
/** An approval without an answer is sent again within a second or so; then the name is claimed or free. */
const RETRY_RESERVED_MS = 1_000;

/** The reasons of this rule that a request keeps. */
export const NAME_IS_TAKEN: readonly string[] = ["NodeIsRegistered", "NameIsClaimed"];

export const nodeIsNotRegisteredYet: Rule<ApprovalFacts> = {
  id: "node-is-not-registered-yet",
  sentence: "a first certificate is only for a name that has no Node and that no other key has been approved for",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["NodeIsNotRead", "NodeIsRegistered", "ClaimsAreNotRead", "NameIsClaimed", "NameIsBeingClaimed"],
  ],
  isStricter: true,
  judge: withRequest((request, facts) => {
    if (isRenewal(request, facts.requester)) return pass("a renewal");
    const name = nodeNameOf(request.subject.commonName) ?? "";
    if (facts.earlierRefusal !== undefined) return refuse(facts.earlierRefusal.reason, facts.earlierRefusal.message);
    if (facts.node.kind === "NotRead") return notYet("NodeIsNotRead", facts.node.why, RETRY_UNREAD_MS);
    if (facts.node.kind === "Present") {
      return refuse(
        "NodeIsRegistered",
        `node ${name} is registered; only the node itself can ask for its name again, and this request stays refused`,
      );
    }
    if (facts.claims.kind === "NotRead") return notYet("ClaimsAreNotRead", facts.claims.why, RETRY_UNREAD_MS);
    const claims = facts.claims.kind === "Present" ? facts.claims.value : [];
    return judgeClaims(name, claims.filter(isRival(facts, keyDigestOf(request.publicKey))));
  }),
};

function judgeClaims(name: string, rivals: readonly Claim[]): Finding {
  const approved = rivals.find(({ standing }) => standing === "Approved");
  if (approved !== undefined) {
    return refuse(
      "NameIsClaimed",
      `another key was approved for node ${name} by ${approved.csrName}; delete that request to give the name free`,
    );
  }
  const reserved = rivals[0];
  if (reserved !== undefined) {
    const message = `${reserved.csrName} is being approved for node ${name} with another key`;
    return notYet("NameIsBeingClaimed", message, RETRY_RESERVED_MS);
  }
  return pass(`no node ${name}`);
}

/** A claim of another request, for another key, whose certificate is still to come or still valid. */
function isRival(facts: ApprovalFacts, keyDigest: string): (claim: Claim) => boolean {
  return (claim) =>
    claim.csrUid !== facts.csrUid &&
    claim.keyDigest !== keyDigest &&
    (claim.notAfterMs === undefined || claim.notAfterMs > facts.nowMs);
}

// Behind every node is a Machine that an operator ordered. It is found by the names it is to have, by its Node once it
// has one, or by the provider ID in the request. Not found is "not yet": addresses come late, and the Machine may be on
// its way.
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

// The Machine, for the rules that come after machine-exists. None of them relies on that rule having run: without a
// Machine they do not pass.
/** A judge of first certificates that needs the Machine. A renewal was a first certificate once. */
function withMachine(
  judge: (machine: Machine, facts: ApprovalFacts, request: CertificateRequest) => Finding,
): (facts: ApprovalFacts) => Finding {
  return withRequest((request, facts) => {
    if (isRenewal(request, facts.requester)) return pass("a renewal");
    const match = facts.machine.kind === "Present" ? facts.machine.value : undefined;
    if (match?.kind !== "One" || match.machine.isDeleting) return machineExists.judge(facts);
    return judge(match.machine, facts, request);
  });
}

// Before its bootstrap data was made, a Machine cannot have been started: a requester in its name is another machine,
// or its status is late. OpenShift's Machines know no such step.
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

// A Machine becomes one node. Its nodeRef is set once and never changed, so a Machine with another node is spoken for.
// Before that it may be asked for under several names, of which the first approved one has it: the others wait until
// the Machine's nodeRef, or the end of that request and its Node, says who was right.
// differs from upstream: machine-approver lets every name of a Machine in until its nodeRef is set.
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

// A machine asks soon after it was ordered. Who asks for its name a week later has found an old token.
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
