// Which change brings which key back to which queue.

import type { WorkQueue } from "../platform/kube/index.ts";
import type { Approval, Claims, Pending } from "./approval/index.ts";
import { CLUSTER_INFO_NAME } from "./clusterinfo/index.ts";
import type { Informers } from "./informers.ts";
import { LOCKDOWN_KEY } from "./policy/index.ts";
import type { Signing } from "./signing/index.ts";

export interface Wiring {
  readonly informers: Informers;
  readonly queues: {
    readonly approval: WorkQueue;
    readonly signing: WorkQueue;
    readonly clusterInfo: WorkQueue;
    readonly tokens: WorkQueue;
    readonly lockdown: WorkQueue;
  };
  readonly claims: Claims;
  readonly pending: Pending;
  readonly approval: Approval;
  readonly signing: Signing;
}

export function wire({ informers, queues, claims, pending, approval, signing }: Wiring): void {
  /** The name became free, or lost its Node: whoever waits for it is judged anew. */
  const judgeAgain = (nodeName: string | undefined) => {
    for (const csrName of nodeName === undefined ? [] : pending.of(nodeName)) queues.approval.add(csrName);
  };

  informers.csrs.onChange(({ type, object }) => {
    const name = object.metadata.name ?? "";
    if (type === "DELETED") {
      judgeAgain(claims.forget(object.metadata.uid ?? ""));
      approval.forget(object);
      signing.forget(object);
    } else {
      judgeAgain(claims.observe(object));
      queues.signing.add(name);
    }
    queues.approval.add(name);
  });

  // A kubelet's heartbeat modifies its Node all day; whoever waits for that name looks again, and that is rarely anybody.
  informers.nodes.onChange(({ object }) => judgeAgain(object.metadata.name));
  informers.machines.onChange((keys) => {
    for (const key of keys) judgeAgain(key);
  });
  informers.policies.onChange(() => {
    for (const csrName of pending.all()) queues.approval.add(csrName);
    queues.lockdown.add(LOCKDOWN_KEY);
  });

  informers.clusterInfo.onChange(() => queues.clusterInfo.add(CLUSTER_INFO_NAME));
  informers.tokens.onChange(({ object }) => {
    queues.clusterInfo.add(CLUSTER_INFO_NAME);
    queues.tokens.add(object.metadata.name ?? "");
  });
}
