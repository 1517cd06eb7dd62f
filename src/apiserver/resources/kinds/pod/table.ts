// `kubectl get pods`: ready containers, the reason that sums up the pod's state, restarts.

import type { ContainerStatus, Pod, PodSpec, PodStatus } from "../../../../api/core/index.ts";
import { ageCell, ageOf, column, NAME_COLUMN, nameOf, type TableLayout } from "../../table.ts";

/** The reason that the node lifecycle controller gives to pods of an unreachable node. */
const NODE_LOST = "NodeLost";

const COMPLETED: Readonly<Record<string, string | undefined>> = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
};

export const POD_TABLE: TableLayout<Pod> = {
  columns: [
    NAME_COLUMN,
    column("Ready"),
    column("Status"),
    column("Restarts"),
    column("Age"),
    column("IP", 1),
    column("Node", 1),
    column("Nominated Node", 1),
    column("Readiness Gates", 1),
  ],
  cells: (pod, nowMs) => {
    const { spec = {}, status = {} } = pod;
    const seen = look(spec, status);
    return [
      nameOf(pod),
      `${seen.ready}/${totalOf(spec)}`,
      statusCell(pod, seen.reason),
      restartsCell(seen, nowMs),
      ageCell(pod, nowMs),
      status.podIPs?.[0]?.ip || "<none>",
      spec.nodeName || "<none>",
      status.nominatedNodeName || "<none>",
      gatesCell(spec, status),
    ];
  },
  conditions: ({ status = {} }) => {
    const message = COMPLETED[status.phase ?? ""];
    return message === undefined ? [] : [{ type: "Completed", status: "True", reason: status.phase ?? "", message }];
  },
};

interface Seen {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

/** A sidecar: an init container that goes on running. */
function isSidecar(spec: PodSpec, name: string | undefined): boolean {
  return spec.initContainers?.some((one) => one.name === name && one.restartPolicy === "Always") === true;
}

function totalOf(spec: PodSpec): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return (spec.containers ?? []).length + sidecars.length;
}

function look(spec: PodSpec, status: PodStatus): Seen {
  const initial = lookAtInitial(spec, status);
  const isInitialized = hasCondition(status, "Initialized");
  if (initial.isInitializing && !isInitialized) return initial;
  return lookAtRunning(status, initial);
}

interface Initial extends Seen {
  readonly isInitializing: boolean;
  /** Restarts of sidecars alone: once the pod runs, restarts of other init containers do not count. */
  readonly sidecars: { readonly restarts: number; readonly lastRestart: string | undefined };
}

function lookAtInitial(spec: PodSpec, status: PodStatus): Initial {
  const statuses = status.initContainerStatuses ?? [];
  const at = statuses.findIndex((one) => !isPast(one, spec));
  const looked = at === -1 ? statuses : statuses.slice(0, at + 1);
  const sidecars = looked.filter(({ name }) => isSidecar(spec, name));
  const current = statuses[at];
  const isInitializing = current !== undefined;
  return {
    reason: isInitializing ? initialReason(current, at, (spec.initContainers ?? []).length) : plainReason(status),
    ready: sidecars.filter(({ started, ready }) => started === true && ready === true).length,
    restarts: restartsOf(looked),
    lastRestart: lastRestartOf(looked),
    isInitializing,
    sidecars: { restarts: restartsOf(sidecars), lastRestart: lastRestartOf(sidecars) },
  };
}

/** Completed, or a sidecar that has started. */
function isPast({ name, state, started }: ContainerStatus, spec: PodSpec): boolean {
  const hasSucceeded = state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
  return hasSucceeded || (isSidecar(spec, name) && started === true);
}

function initialReason({ state }: ContainerStatus, at: number, total: number): string {
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const waiting = state?.waiting?.reason ?? "";
  return waiting !== "" && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${at}/${total}`;
}

function endReason({ reason = "", signal = 0, exitCode = 0 }: { reason?: string; signal?: number; exitCode?: number }) {
  if (reason !== "") return reason;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function plainReason(status: PodStatus): string {
  const gated = status.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated");
  return gated === true ? "SchedulingGated" : status.reason || status.phase || "";
}

function lookAtRunning(status: PodStatus, initial: Initial): Seen {
  const statuses = status.containerStatuses ?? [];
  const running = statuses.filter(({ ready, state }) => ready === true && isRunning(state));
  // The reason of the first container wins, so containers are visited from the end.
  const words = [...statuses].reverse().flatMap(({ state }) => containerReason(state));
  const reason = words.at(-1) ?? initial.reason;
  const failed = [...statuses]
    .reverse()
    .flatMap(({ state }) => failureReason(state))
    .at(-1);
  return {
    reason: reason === "Completed" ? completedReason(status, running.length > 0, failed) : reason,
    ready: initial.ready + running.length,
    restarts: initial.sidecars.restarts + restartsOf(statuses),
    lastRestart: latest([initial.sidecars.lastRestart, lastRestartOf(statuses)]),
  };
}

/** Neither waiting with a reason nor terminated. */
function isRunning(state: ContainerStatus["state"]): boolean {
  return (state?.waiting?.reason ?? "") === "" && state?.terminated === undefined && state?.running !== undefined;
}

function containerReason(state: ContainerStatus["state"]): readonly string[] {
  const waiting = state?.waiting?.reason ?? "";
  if (waiting !== "") return [waiting];
  return state?.terminated === undefined ? [] : [endReason(state.terminated)];
}

function failureReason(state: ContainerStatus["state"]): readonly string[] {
  const isWaiting = (state?.waiting?.reason ?? "") !== "";
  return isWaiting || (state?.terminated?.exitCode ?? 0) === 0 ? [] : containerReason(state);
}

/** One container has completed; the others decide about the pod. */
function completedReason(status: PodStatus, hasRunning: boolean, failed: string | undefined): string {
  if (hasRunning && hasCondition(status, "Ready")) return "Running";
  return failed ?? (hasRunning ? "NotReady" : "Completed");
}

function hasCondition(status: PodStatus, wanted: string): boolean {
  return status.conditions?.some(({ type, status: is }) => type === wanted && is === "True") === true;
}

function statusCell({ metadata, status = {} }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === NODE_LOST) return "Unknown";
  return status.phase === "Succeeded" || status.phase === "Failed" ? reason : "Terminating";
}

function restartsOf(statuses: readonly ContainerStatus[]): number {
  return statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

function lastRestartOf(statuses: readonly ContainerStatus[]): string | undefined {
  return latest(statuses.map(({ lastState }) => lastState?.terminated?.finishedAt));
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort((one, other) => Date.parse(one) - Date.parse(other))
    .at(-1);
}

function restartsCell({ restarts, lastRestart }: Seen, nowMs: number): string {
  if (restarts === 0 || lastRestart === undefined) return String(restarts);
  return `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
}

function gatesCell({ readinessGates = [] }: PodSpec, status: PodStatus): string {
  if (readinessGates.length === 0) return "<none>";
  const open = readinessGates.filter(({ conditionType = "" }) => hasCondition(status, conditionType));
  return `${open.length}/${readinessGates.length}`;
}
