// What may change in an existing pod: images, deadline, additional tolerations, fewer scheduling gates; and validation
// of its status.

import type { Container, Pod, PodSpec, Toleration } from "../../../../api/core/index.ts";
import { MIRROR_ANNOTATION } from "../../../../authorizer/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { type FieldError, forbiddenField, immutableField, invalid, required } from "../../field-error.ts";
import { dnsSubdomain } from "../../names.ts";

/** differs from upstream: a diff of both specs follows there. */
const UPDATABLE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const MAX_DEADLINE = 2_147_483_647;

export function podChangeErrors(next: PodSpec, current: PodSpec): readonly FieldError[] {
  const counts = [
    ...countErrors(next.containers ?? [], current.containers ?? [], "spec.containers"),
    ...countErrors(next.initContainers ?? [], current.initContainers ?? [], "spec.initContainers"),
  ];
  if (counts.length > 0) return counts;
  return [
    ...imageErrors(next.containers ?? [], "spec.containers"),
    ...imageErrors(next.initContainers ?? [], "spec.initContainers"),
    ...deadlineErrors(next.activeDeadlineSeconds, current.activeDeadlineSeconds),
    ...tolerationErrors(next.tolerations ?? [], current.tolerations ?? []),
    ...gateErrors(next, current),
    ...(isSameJson(fixedPart(next, current), fixedPart(current, current)) ? [] : [forbiddenField("spec", UPDATABLE)]),
  ];
}

function countErrors(next: readonly Container[], current: readonly Container[], field: string): readonly FieldError[] {
  return next.length === current.length ? [] : [forbiddenField(field, "pod updates may not add or remove containers")];
}

function imageErrors(containers: readonly Container[], path: string): readonly FieldError[] {
  return containers.flatMap(({ image = "" }, at) => {
    const field = `${path}[${at}].image`;
    if (image === "") return [required(field)];
    return image.trim() === image ? [] : [invalid(field, image, "must not have leading or trailing whitespace")];
  });
}

function deadlineErrors(next: number | undefined, current: number | undefined): readonly FieldError[] {
  const field = "spec.activeDeadlineSeconds";
  if (next === undefined) {
    const text = "must not update from a positive integer to nil value";
    return current === undefined ? [] : [invalid(field, null, text)];
  }
  if (next < 0 || next > MAX_DEADLINE)
    return [invalid(field, next, `must be between 0 and ${MAX_DEADLINE}, inclusive`)];
  const isLonger = current !== undefined && current < next;
  return isLonger ? [invalid(field, next, "must be less than or equal to previous value")] : [];
}

function tolerationErrors(next: readonly Toleration[], current: readonly Toleration[]): readonly FieldError[] {
  const isKept = current.every((one) => next.some((other) => isSameJson(untimed(one), untimed(other))));
  const text = "existing toleration can not be modified except its tolerationSeconds";
  return isKept ? [] : [forbiddenField("spec.tolerations", text)];
}

function untimed({ tolerationSeconds: _seconds, ...toleration }: Toleration): Toleration {
  return toleration;
}

function gateErrors(next: PodSpec, current: PodSpec): readonly FieldError[] {
  const before = new Set((current.schedulingGates ?? []).map(({ name }) => name));
  const added = (next.schedulingGates ?? []).find(({ name }) => !before.has(name));
  if (added === undefined) return [];
  return [forbiddenField("spec.schedulingGates", "only deletion is allowed, but found new scheduling gate")];
}

/** The spec without its mutable fields. */
function fixedPart(spec: PodSpec, current: PodSpec): PodSpec {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  const wasNegative = (current.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  const grace = wasNegative ? { terminationGracePeriodSeconds: current.terminationGracePeriodSeconds ?? 1 } : {};
  return {
    ...rest,
    ...grace,
    containers: unimaged(spec.containers ?? []),
    initContainers: unimaged(spec.initContainers ?? []),
  };
}

function unimaged(containers: readonly Container[]): readonly Container[] {
  return containers.map(({ image: _image, ...container }) => container);
}

export function podStatusErrors(next: Pod, current: Pod): readonly FieldError[] {
  const { nominatedNodeName = "" } = next.status ?? {};
  const isNew = nominatedNodeName !== "" && nominatedNodeName !== (current.status?.nominatedNodeName ?? "");
  const field = "status.nominatedNodeName";
  return [
    ...(isNew ? dnsSubdomain(nominatedNodeName).map((text) => invalid(field, nominatedNodeName, text)) : []),
    ...(isNew && (current.spec?.nodeName ?? "") !== ""
      ? [forbiddenField(field, "may not be set on pods that are already bound to a node")]
      : []),
    ...immutableField("status.qosClass", next.status?.qosClass, current.status?.qosClass),
  ];
}

/**
 * A pod is a mirror of a static pod from its creation, or never. References of a mirror pod open nothing to its node; a
 * node that could remove the mark by a status report would grant itself access.
 */
export function mirrorErrors(next: Pod, current: Pod): readonly FieldError[] {
  const after = markOf(next);
  const before = markOf(current);
  if (after === before) return [];
  const text =
    before === undefined ? "may not add mirror pod annotation" : "may not remove or update mirror pod annotation";
  return [forbiddenField(`metadata.annotations[${MIRROR_ANNOTATION}]`, text)];
}

function markOf({ metadata }: Pod): string | undefined {
  const annotations = metadata.annotations ?? {};
  return Object.hasOwn(annotations, MIRROR_ANNOTATION) ? annotations[MIRROR_ANNOTATION] : undefined;
}
