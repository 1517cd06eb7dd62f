import { describe, expect, it } from "vitest";
import type { Node, NodeCondition } from "../../../api/core/index.ts";
import { GRACE_MS, planNode, type Taint } from "./plan.ts";

const NOW_MS = Date.parse("2026-01-01T00:10:00Z");
const HEARTBEAT = "2026-01-01T00:00:00Z";
const condition = (type: string, status: NodeCondition["status"]): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: HEARTBEAT,
});
const aNode = (conditions: readonly NodeCondition[], taints: readonly Taint[] = []): Node => ({
  kind: "Node",
  apiVersion: "v1",
  metadata: { name: "n", creationTimestamp: HEARTBEAT },
  spec: { taints },
  status: { conditions },
});
const ALL = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
const healthy = [condition("Ready", "True"), ...ALL.slice(1).map((type) => condition(type, "False"))];
const keys = (taints: readonly Taint[] | undefined) =>
  taints?.map(({ key, effect }) => `${key.split("/")[1]}:${effect}`);

describe("a node that is heard", () => {
  it("stays as it is, and is looked at again when its grace is over", () => {
    const plan = planNode({ node: aNode(healthy), heardMs: NOW_MS - 10_000, nowMs: NOW_MS });
    expect(plan).toEqual({ conditions: undefined, taints: undefined, againAfterMs: GRACE_MS - 10_000 + 1 });
  });

  it("is tainted not-ready when it says so, in place of unreachable", () => {
    const taints = [
      { key: "dedicated", effect: "NoSchedule", value: "x" },
      { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
    ];
    const node = aNode([condition("Ready", "False")], taints);
    expect(keys(planNode({ node, heardMs: NOW_MS, nowMs: NOW_MS }).taints)).toEqual([
      "undefined:NoSchedule",
      "not-ready:NoSchedule",
      "not-ready:NoExecute",
    ]);
  });

  it("loses our taints and keeps those of others when it is ready", () => {
    const taints = [
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
      { key: "example.com/own", effect: "NoSchedule" },
    ];
    const { taints: next } = planNode({ node: aNode(healthy, taints), heardMs: NOW_MS, nowMs: NOW_MS });
    expect(keys(next)).toEqual(["own:NoSchedule"]);
  });
});

describe("a silent node", () => {
  it("is Unknown in all it said, and the last heartbeat stays told", () => {
    const plan = planNode({ node: aNode(healthy), heardMs: NOW_MS - GRACE_MS - 1, nowMs: NOW_MS });
    expect(plan.conditions).toEqual(
      ALL.map((type) => ({
        type,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
        lastHeartbeatTime: HEARTBEAT,
        lastTransitionTime: "2026-01-01T00:10:00Z",
      })),
    );
    expect(keys(plan.taints)).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
    expect(plan.againAfterMs).toBeUndefined();
  });

  it("is told once", () => {
    const first = planNode({ node: aNode(healthy), heardMs: 0, nowMs: NOW_MS });
    const told = aNode(first.conditions ?? [], first.taints ?? []);
    expect(planNode({ node: told, heardMs: 0, nowMs: NOW_MS + 60_000 })).toMatchObject({
      conditions: undefined,
      taints: undefined,
    });
  });

  it("that never posted has a minute, and other words", () => {
    const node = aNode([]);
    expect(planNode({ node, heardMs: NOW_MS - 59_000, nowMs: NOW_MS }).conditions).toBeUndefined();
    const { conditions } = planNode({ node, heardMs: NOW_MS - 60_001, nowMs: NOW_MS });
    expect(conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual(
      ALL.map((type) => `${type} NodeStatusNeverUpdated`),
    );
  });
});
