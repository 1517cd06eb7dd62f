// What missing heartbeats mean. A heartbeat is a renewed Lease or a posted status. Pure.
//  no heartbeat for 40 s -> its conditions become Unknown
//  Ready is Unknown      -> taint unreachable; Ready is False -> taint not-ready; Ready is True -> neither
// Reasons, messages and taints of kubernetes/pkg/controller/nodelifecycle.

import type { Node, NodeCondition } from "../../../api/core/index.ts";
import { isSameJson } from "../../../kernel/json/index.ts";
import { formatTime } from "../../resources/metadata.ts";

/** Four missed renewals. */
export const GRACE_MS = 40_000;
/** A node that has just registered may take longer for its first status. */
const STARTUP_GRACE_MS = 60_000;

const WATCHED: readonly string[] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

interface NodeFacts {
  readonly node: Node;
  /** Time of the last heartbeat by the clock of this process, not by that of the node. */
  readonly heardMs: number;
  readonly nowMs: number;
}

interface NodePlan {
  /** The conditions to write, undefined when they are right. */
  readonly conditions: readonly NodeCondition[] | undefined;
  readonly taints: readonly Taint[] | undefined;
  /** When to look again without a heartbeat. */
  readonly againAfterMs: number | undefined;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export function planNode(facts: NodeFacts): NodePlan {
  const { node, heardMs, nowMs } = facts;
  const ready = conditionOf(node, "Ready");
  const graceMs = ready === undefined ? STARTUP_GRACE_MS : GRACE_MS;
  const isSilent = nowMs - heardMs > graceMs;
  const conditions = isSilent ? unknownConditions(node, nowMs) : undefined;
  const status = isSilent ? "Unknown" : ready?.status;
  const taints = status === undefined ? undefined : planTaints(node, status, nowMs);
  return { conditions, taints, againAfterMs: isSilent ? undefined : heardMs + graceMs + 1 - nowMs };
}

function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

function unknownConditions(node: Node, nowMs: number): readonly NodeCondition[] | undefined {
  const now = formatTime(nowMs);
  const stored = node.status?.conditions ?? [];
  const missing = WATCHED.filter((type) => conditionOf(node, type) === undefined);
  const next = [
    ...stored.map((one) => (WATCHED.includes(one.type) && one.status !== "Unknown" ? silenced(one, now) : one)),
    ...missing.map((type) => neverPosted(node, type, now)),
  ];
  return isSameJson(next, stored) ? undefined : next;
}

/** lastHeartbeatTime stays: it is the last thing known. */
function silenced(condition: NodeCondition, now: string): NodeCondition {
  const message = "Kubelet stopped posting node status.";
  return { ...condition, status: "Unknown", reason: "NodeStatusUnknown", message, lastTransitionTime: now };
}

function neverPosted({ metadata }: Node, type: string, now: string): NodeCondition {
  return {
    type,
    status: "Unknown",
    lastHeartbeatTime: metadata.creationTimestamp ?? now,
    lastTransitionTime: now,
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
  };
}

const UNREACHABLE = "node.kubernetes.io/unreachable";
const NOT_READY = "node.kubernetes.io/not-ready";
const OURS: readonly string[] = [UNREACHABLE, NOT_READY];
const EFFECTS: readonly string[] = ["NoSchedule", "NoExecute"];

/** Undefined when the taints are right. Foreign taints, and the time at which ours were set, stay. */
function planTaints({ spec }: Node, ready: string, nowMs: number): readonly Taint[] | undefined {
  const stored = (spec?.taints ?? []) as readonly Taint[];
  const key = ready === "True" ? undefined : ready === "Unknown" ? UNREACHABLE : NOT_READY;
  const kept = stored.filter((one) => !OURS.includes(one.key) || one.key === key);
  const missing =
    key === undefined ? [] : EFFECTS.filter((effect) => !kept.some((one) => one.key === key && one.effect === effect));
  if (missing.length === 0 && kept.length === stored.length) return undefined;
  return [...kept, ...missing.map((effect) => ({ key: key ?? "", effect, timeAdded: formatTime(nowMs) }))];
}
