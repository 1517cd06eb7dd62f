// The status of a JoinPolicy: whether it can be read, and, where it is enforced, whether a requester gets
// past it. Undefined when it says so already: then nothing is written.

import type { JoinPolicy, JoinPolicyStatus, PolicyCondition } from "../../api/countersign/index.ts";
import type { Bypass } from "./bypasses.ts";

interface StatusFacts {
  readonly bypasses: readonly Bypass[];
  /** Why the policy cannot be read. */
  readonly fault: string | undefined;
  readonly nowMs: number;
}

/** A condition's message may have 32 KB; a handful of bindings is what an operator wants to read. */
const MAX_NAMED = 10;

export function planStatus(policy: JoinPolicy, facts: StatusFacts): JoinPolicyStatus | undefined {
  const wanted = [acceptedOf(facts), lockedDownOf(policy, facts)];
  const before = policy.status?.conditions ?? [];
  const { generation = 0 } = policy.metadata;
  const isSaid = wanted.every((condition) => before.some((old) => isSame(old, condition, generation)));
  if (isSaid && policy.status?.observedGeneration === generation) return undefined;
  const at = new Date(facts.nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  const others = before.filter(({ type }) => wanted.every((condition) => condition.type !== type));
  const conditions = wanted.map((condition) => ({
    ...condition,
    observedGeneration: generation,
    lastTransitionTime:
      before.find(({ type, status }) => type === condition.type && status === condition.status)?.lastTransitionTime ??
      at,
  }));
  return { observedGeneration: generation, conditions: [...others, ...conditions] };
}

type Said = Pick<PolicyCondition, "type" | "status" | "reason" | "message">;

function acceptedOf({ fault }: StatusFacts): Said {
  return fault === undefined
    ? { type: "Accepted", status: "True", reason: "PolicyIsRead", message: "the policy is in force" }
    : { type: "Accepted", status: "False", reason: "PolicyIsUnreadable", message: fault };
}

function lockedDownOf({ spec }: JoinPolicy, { bypasses }: StatusFacts): Said {
  const type = "LockedDown";
  if (spec.mode !== "Enforce") {
    return { type, status: "Unknown", reason: "PolicyOnlyRecords", message: "a policy in Shadow keeps nobody out" };
  }
  if (bypasses.length === 0) {
    return {
      type,
      status: "True",
      reason: "NobodyGetsPast",
      message: "no binding lets kube-controller-manager approve past this policy",
    };
  }
  const named = bypasses
    .slice(0, MAX_NAMED)
    .map(({ binding, subjects, right }) => `${binding} (${right}, ${subjects.join(", ")})`);
  const more = bypasses.length > MAX_NAMED ? ` and ${bypasses.length - MAX_NAMED} more` : "";
  const message =
    `kube-controller-manager approves past this policy by the bindings ${named.join("; ")}${more}; delete ` +
    "them, or switch its csrapproving off";
  return { type, status: "False", reason: "LockdownMissing", message };
}

function isSame(old: PolicyCondition, wanted: Said, generation: number): boolean {
  return (
    old.type === wanted.type &&
    old.status === wanted.status &&
    old.reason === wanted.reason &&
    old.message === wanted.message &&
    old.observedGeneration === generation
  );
}
