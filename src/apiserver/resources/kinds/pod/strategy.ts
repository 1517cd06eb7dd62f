// Pod. The main endpoint keeps the status, /status keeps the spec, /binding assigns a node and /eviction requests the
// end. Deleting a pod that runs on a node only sets deletionTimestamp; its kubelet deletes it with grace period 0.
// Behaviour of kubernetes/pkg/registry/core/pod/strategy.go.

import type { Binding, Pod, PodSpec, PodStatus } from "../../../../api/core/index.ts";
import { BINDINGS, EVICTIONS, PODS } from "../../../../api/meta/index.ts";
import { notSupported, required } from "../../field-error.ts";
import { countedGeneration, firstGeneration, formatTime } from "../../metadata.ts";
import { type CreateSubresource, defineStrategy, SUBRESOURCE_VERBS, type Subresource } from "../../strategy.ts";
import { mirrorErrors, podChangeErrors, podStatusErrors } from "./change-errors.ts";
import { qualityOfService, withPodDefaults, withStatusDefaults } from "./defaults.ts";
import { podErrors } from "./errors.ts";
import { POD_TABLE } from "./table.ts";

/** Says on which node a pod runs; see verbs/posts/pod.ts. */
export const bindingSubresource: CreateSubresource<Binding> = {
  name: "binding",
  resource: BINDINGS,
  validate: ({ target = {} }) => {
    const { kind = "", name = "" } = target;
    return [
      ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
      ...(name === "" ? [required("target.name")] : []),
    ];
  },
};

/** Asks a pod to end; see verbs/posts/pod.ts. */
const evictionSubresource: CreateSubresource = {
  name: "eviction",
  resource: EVICTIONS,
  validate: () => [],
};

const GATED_TEXT = "Scheduling is blocked due to non-empty scheduling gates";

function firstStatus(spec: PodSpec, nowMs: number): PodStatus {
  const isGated = (spec.schedulingGates ?? []).length > 0;
  const gated = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: formatTime(nowMs),
    reason: "SchedulingGated",
    message: GATED_TEXT,
  };
  return { phase: "Pending", ...(isGated ? { conditions: [gated] } : {}), qosClass: qualityOfService(spec) };
}

/** Values that admission set are kept when an old client leaves them out. */
function withKeptPriority(spec: PodSpec, current: PodSpec): PodSpec {
  const { priority, preemptionPolicy } = current;
  return {
    ...(priority === undefined ? {} : { priority }),
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
    ...spec,
  };
}

const status: Subresource<Pod> = {
  name: "status",
  verbs: SUBRESOURCE_VERBS,
  resets: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
  prepareUpdate: (sent, current) => {
    const { ownerReferences: _sent, ...metadata } = sent.metadata;
    const { ownerReferences } = current.metadata;
    const { qosClass, observedGeneration } = current.status ?? {};
    return {
      ...sent,
      metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
      spec: current.spec ?? {},
      status: {
        ...(qosClass === undefined ? {} : { qosClass }),
        ...(observedGeneration === undefined ? {} : { observedGeneration }),
        ...withStatusDefaults(sent.status ?? {}),
      },
    };
  },
  validateUpdate: (next, current) => [...mirrorErrors(next, current), ...podStatusErrors(next, current)],
};

/** 0 for a pod that has no node or has ended, otherwise the requested or its own grace period. */
function graceSeconds({ spec = {}, status = {} }: Pod, asked: number | undefined): number {
  if ((spec.nodeName ?? "") === "" || status.phase === "Failed" || status.phase === "Succeeded") return 0;
  const seconds = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

export const podStrategy = defineStrategy<Pod>({
  resource: PODS,
  shortNames: ["po"],
  categories: ["all"],
  filledIn: [
    "spec.tolerations",
    "spec.priority",
    "spec.preemptionPolicy",
    "spec.serviceAccount",
    "spec.serviceAccountName",
  ],
  answersDeleteWithObject: true,
  graceSeconds,
  prepareCreate: (sent, { nowMs }) => {
    const spec = withPodDefaults(sent.spec ?? {});
    return firstGeneration({ ...sent, spec, status: firstStatus(spec, nowMs) });
  },
  validateCreate: podErrors,
  prepareUpdate: (sent, current) => {
    const spec = withPodDefaults(withKeptPriority(sent.spec ?? {}, current.spec ?? {}));
    return countedGeneration({ ...sent, spec, status: current.status ?? {} }, current, (pod) => pod.spec);
  },
  validateUpdate: (next, current) => [
    ...mirrorErrors(next, current),
    ...podErrors(next),
    ...podChangeErrors(next.spec ?? {}, current.spec ?? {}),
  ],
  subresources: [status],
  creates: [bindingSubresource, evictionSubresource],
  selectableFields: ({ spec = {}, status: seen = {} }) => ({
    "spec.nodeName": spec.nodeName ?? "",
    "spec.host": spec.nodeName ?? "",
    "spec.restartPolicy": spec.restartPolicy ?? "",
    "spec.schedulerName": spec.schedulerName ?? "",
    "spec.serviceAccountName": spec.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec.hostNetwork === true),
    "status.phase": seen.phase ?? "",
    "status.podIP": seen.podIPs?.[0]?.ip ?? seen.podIP ?? "",
    "status.podIPs": seen.podIPs?.[0]?.ip ?? seen.podIP ?? "",
    "status.nominatedNodeName": seen.nominatedNodeName ?? "",
  }),
  table: POD_TABLE,
});
