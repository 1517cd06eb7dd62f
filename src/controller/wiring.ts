// Which change brings which key back to which queue.

import type { WorkQueue } from "../platform/kube/index.ts";
import type { Approval, Claims, Pending } from "./approval/index.ts";
import { UPKEEP_KEY } from "./attestation/index.ts";
import { CLUSTER_INFO_NAME } from "./clusterinfo/index.ts";
import type { Informers } from "./informers.ts";
import { LOCKDOWN_KEY } from "./policy/index.ts";
import type { Authorities, Signing } from "./signing/index.ts";

export interface Wiring {
  readonly informers: Informers;
  readonly queues: {
    readonly approval: WorkQueue;
    readonly signing: WorkQueue;
    readonly clusterInfo: WorkQueue;
    readonly tokens: WorkQueue;
    readonly lockdown: WorkQueue;
    readonly attestation: WorkQueue;
  };
  readonly authorities: Pick<Authorities, "onChange">;
  readonly claims: Claims;
  readonly pending: Pending;
  readonly approval: Approval;
  readonly signing: Signing;
}

export function wire({ informers, queues, authorities, claims, pending, approval, signing }: Wiring): void {
  /** The name became free, or lost its Node: whoever waits for it is judged anew. */
  const judgeAgain = (nodeName: string | undefined) => {
    for (const csrName of nodeName === undefined ? [] : pending.of(nodeName)) queues.approval.add(csrName);
  };

  informers.csrs.onChange(({ type, object }) => {
    if (type === "DELETED") {
      judgeAgain(claims.forget(object.metadata.uid ?? ""));
      approval.forget(object);
      signing.forget(object);
      return;
    }
    const name = object.metadata.name ?? "";
    judgeAgain(claims.observe(object));
    // Of the three changes in the life of a request each queue wants one: the other two need not pass through a worker.
    if (signing.wants(object)) queues.signing.add(name);
    // Policies that were not read yet may want to record what others decided.
    if (approval.wants(object) || !informers.policies.hasSynced()) queues.approval.add(name);
    else pending.forget(name);
  });

  authorities.onChange?.(() => {
    for (const csr of informers.csrs.list()) if (signing.wants(csr)) queues.signing.add(csr.metadata.name ?? "");
    // Evidence names the cluster by the pin of its CA.
    for (const csrName of pending.all()) queues.approval.add(csrName);
  });

  // A kubelet's heartbeat modifies its Node all day; whoever waits for that name looks again, and that is rarely anybody.
  informers.nodes.onChange(({ object }) => judgeAgain(object.metadata.name));
  const judgeAllAgain = (keys: readonly string[]) => {
    for (const key of keys) judgeAgain(key);
  };
  informers.machines.onChange(judgeAllAgain);
  informers.pools.onChange(judgeAllAgain);
  informers.identities.onChange(judgeAgain);
  informers.policies.onChange(() => {
    for (const csrName of pending.all()) queues.approval.add(csrName);
    queues.lockdown.add(LOCKDOWN_KEY);
    queues.attestation.add(UPKEEP_KEY);
  });

  informers.clusterInfo.onChange(() => queues.clusterInfo.add(CLUSTER_INFO_NAME));
  informers.tokens.onChange(({ object }) => {
    queues.clusterInfo.add(CLUSTER_INFO_NAME);
    queues.tokens.add(object.metadata.name ?? "");
  });
}
