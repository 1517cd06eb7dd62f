// POST to a pod: /binding sets its node, once and for all; /eviction asks it to end. Both answer with a Status.
// Behaviour of kubernetes/pkg/registry/core/pod/storage. differs from upstream: there are no disruption budgets here,
// so every eviction is allowed.

import type { Binding, Eviction, Pod, PodCondition } from "../../../api/core/index.ts";
import type { KubeObject, ObjectMeta } from "../../../api/meta/index.ts";
import type { Answer } from "../../call.ts";
import { formatTime } from "../../resources/metadata.ts";
import { badRequest, conflict, notFound } from "../../status/status.ts";
import { keyOf } from "../../storage/key.ts";
import type { Stored } from "../../storage/storage.ts";
import { removeObject } from "../delete.ts";
import type { DeleteOptions } from "../delete-options.ts";
import { isLostRace, MAX_WRITE_TRIES } from "../lost-races.ts";
import { done, type PostedCall } from "../stored-call.ts";

export async function bindPod(posted: PostedCall, body: KubeObject): Promise<Answer> {
  const binding = body as Binding;
  checkName(posted, binding);
  await changePod(posted, (current) => {
    checkVersion(posted, binding.metadata, current);
    return boundPod(current.object as Pod, binding, posted);
  });
  return done();
}

export async function evictPod(posted: PostedCall, body: KubeObject): Promise<Answer> {
  const { deleteOptions = {} } = body as Eviction;
  checkName(posted, body);
  const { call, parts, strategy, resource, namespace, name } = posted;
  const options: DeleteOptions = {
    uid: deleteOptions.preconditions?.uid ?? "",
    resourceVersion: deleteOptions.preconditions?.resourceVersion ?? "",
    isDryRun: isDry(posted) || (deleteOptions.dryRun ?? []).includes("All"),
    gracePeriodSeconds: deleteOptions.gracePeriodSeconds,
    propagation: undefined,
  };
  if (!options.isDryRun) await tellPod(posted, options);
  // The precondition on the version was checked before the condition was written, which made a new version.
  const rest = { ...options, resourceVersion: "" };
  await removeObject({ call, parts, strategy, resource, namespace, subresource: undefined }, name, rest);
  return done();
}

function isDry({ call }: PostedCall): boolean {
  return call.query.first("dryRun") === "All";
}

function checkName({ name, subresource }: PostedCall, { metadata }: KubeObject): void {
  if ((metadata.name ?? "") === name) return;
  throw badRequest(`name in URL does not match name in ${subresource.resource.kind} object`);
}

/**
 * Reads, changes and writes until no other writer came in between. `change` returns undefined when there is nothing to
 * do.
 */
async function changePod(posted: PostedCall, change: (current: Stored) => Pod | undefined): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await changeOnce(posted, change);
    } catch (error) {
      if (!isLostRace(error)) throw error;
      if (tries === MAX_WRITE_TRIES) throw conflict(posted.resource, posted.name);
    }
  }
}

async function changeOnce(posted: PostedCall, change: (current: Stored) => Pod | undefined): Promise<void> {
  const { parts, resource, namespace, name } = posted;
  const current = parts.storage.get(keyOf(resource, { namespace, name }));
  if (current === undefined) throw notFound(resource, name);
  const next = change(current);
  if (next !== undefined && !isDry(posted)) await parts.storage.update(current.key, next, current.revision);
}

type Precondition = Pick<ObjectMeta, "uid" | "resourceVersion">;

function checkVersion({ resource, name }: PostedCall, wanted: Precondition, current: Stored): void {
  const { uid = "", resourceVersion = "" } = wanted;
  const { uid: actual = "" } = current.object.metadata;
  if (uid !== "" && uid !== actual) {
    throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`);
  }
  if (resourceVersion === "" || resourceVersion === String(current.revision)) return;
  const versions = `${resourceVersion}, ResourceVersion in object meta: ${current.revision}`;
  throw conflict(resource, name, `Precondition failed: ResourceVersion in precondition: ${versions}`);
}

function boundPod(pod: Pod, binding: Binding, posted: PostedCall): Pod {
  const problem = bindingProblem(pod);
  if (problem !== undefined) throw conflict({ ...posted.resource, plural: "pods/binding" }, posted.name, problem);
  const { annotations, labels } = binding.metadata;
  const { nominatedNodeName: _hint, ...status } = pod.status ?? {};
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName: binding.target?.name ?? "" },
    status: withCondition(status, { type: "PodScheduled", status: "True" }, posted.parts.clock.now()),
  };
}

function bindingProblem({ metadata, spec = {} }: Pod): string | undefined {
  const { name = "", deletionTimestamp } = metadata;
  const { nodeName = "", schedulingGates = [] } = spec;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (nodeName !== "") return `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`;
  return schedulingGates.length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}

/** A condition gives the reason before the pod ends, so that its controller can tell an eviction from a failure. */
async function tellPod(posted: PostedCall, options: DeleteOptions): Promise<void> {
  await changePod(posted, (current) => {
    checkVersion(posted, options, current);
    const pod = current.object as Pod;
    if (pod.metadata.deletionTimestamp !== undefined) return undefined;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    };
    return { ...pod, status: withCondition(pod.status ?? {}, condition, posted.parts.clock.now()) };
  });
}

/** Replaces the condition of that type; the transition time is kept when the status is the same. */
function withCondition(status: NonNullable<Pod["status"]>, condition: PodCondition, nowMs: number) {
  const { conditions = [] } = status;
  const before = conditions.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? before?.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? formatTime(nowMs);
  const { type = "", status: is = "", ...words } = condition;
  const next: PodCondition = { type, status: is, lastProbeTime: null, lastTransitionTime, ...words };
  const others = conditions.filter((one) => one.type !== condition.type);
  return { ...status, conditions: [...others, next] };
}
