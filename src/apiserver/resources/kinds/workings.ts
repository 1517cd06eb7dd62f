// Lease, RuntimeClass and PriorityClass.

import type { Lease, PriorityClass, RuntimeClass } from "../../../api/core/index.ts";
import { LEASES, PRIORITY_CLASSES, RUNTIME_CLASSES } from "../../../api/meta/index.ts";
import { type FieldError, forbiddenField, immutableField, invalid, notSupported, required } from "../field-error.ts";
import { firstGeneration } from "../metadata.ts";
import { dnsLabel } from "../names.ts";
import { defineStrategy } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, typedColumn } from "../table.ts";

function leaseErrors(lease: Lease): readonly FieldError[] {
  const { leaseDurationSeconds, leaseTransitions } = lease.spec ?? {};
  return [
    ...(leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0
      ? [invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0")]
      : []),
    ...(leaseTransitions !== undefined && leaseTransitions < 0
      ? [invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0")]
      : []),
  ];
}

/** PUT creates a missing Lease; otherwise it needs a resourceVersion. */
export const leaseStrategy = defineStrategy<Lease>({
  resource: LEASES,
  createsOnUpdate: true,
  updatesUnconditionally: false,
  prepareCreate: (sent) => ({ ...sent, spec: sent.spec ?? {} }),
  prepareUpdate: (sent) => ({ ...sent, spec: sent.spec ?? {} }),
  validateCreate: leaseErrors,
  validateUpdate: leaseErrors,
  table: {
    columns: [NAME_COLUMN, column("Holder"), column("Age")],
    cells: (lease, nowMs) => [nameOf(lease), lease.spec?.holderIdentity ?? "", ageCell(lease, nowMs)],
  },
});

export const runtimeClassStrategy = defineStrategy<RuntimeClass>({
  resource: RUNTIME_CLASSES,
  createsOnUpdate: true,
  updatesUnconditionally: false,
  prepareCreate: (sent) => ({ ...sent, handler: sent.handler ?? "" }),
  validateCreate: ({ handler = "" }) =>
    handler === "" ? [required("handler")] : dnsLabel(handler).map((text) => invalid("handler", handler, text)),
  validateUpdate: (next, current) => immutableField("handler", next.handler ?? "", current.handler ?? ""),
  table: {
    columns: [NAME_COLUMN, column("Handler"), column("Age")],
    cells: (runtime, nowMs) => [nameOf(runtime), runtime.handler ?? "", ageCell(runtime, nowMs)],
  },
});

/** Names reserved for the system, with their values. */
export const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
const SYSTEM_PREFIX = "system-";
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const PREEMPTION_POLICIES: readonly string[] = ["PreemptLowerPriority", "Never"];

function priorityErrors(next: PriorityClass): readonly FieldError[] {
  return [...valueErrors(next), ...preemptionErrors(next.preemptionPolicy)];
}

function valueErrors({ metadata: { name = "" }, value = 0, globalDefault = false }: PriorityClass) {
  if (!name.startsWith(SYSTEM_PREFIX)) {
    const text = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    return value > HIGHEST_USER_PRIORITY ? [forbiddenField("value", text)] : [];
  }
  const problem = systemProblem(name, value, globalDefault);
  if (problem === undefined) return [];
  const text = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`;
  return [forbiddenField("metadata.name", text)];
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const expected = Object.hasOwn(SYSTEM_PRIORITIES, name) ? SYSTEM_PRIORITIES[name] : undefined;
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function preemptionErrors(policy: string | undefined): readonly FieldError[] {
  if (policy === undefined || PREEMPTION_POLICIES.includes(policy)) return [];
  if (policy === "") return [required("preemptionPolicy")];
  return [notSupported("preemptionPolicy", policy, PREEMPTION_POLICIES)];
}

export const priorityClassStrategy = defineStrategy<PriorityClass>({
  resource: PRIORITY_CLASSES,
  shortNames: ["pc"],
  prepareCreate: (sent) => firstGeneration(withDefaults(sent)),
  prepareUpdate: withDefaults,
  validateCreate: priorityErrors,
  validateUpdate: (next, current) => [
    ...(next.value === current.value ? [] : [forbiddenField("value", "may not be changed in an update.")]),
    ...immutableField("preemptionPolicy", next.preemptionPolicy, current.preemptionPolicy),
  ],
  table: {
    columns: [
      NAME_COLUMN,
      typedColumn("Value", "integer"),
      typedColumn("Global-Default", "boolean"),
      column("Age"),
      column("PreemptionPolicy"),
    ],
    cells: (priority, nowMs) => [
      nameOf(priority),
      priority.value ?? 0,
      priority.globalDefault === true,
      ageCell(priority, nowMs),
      priority.preemptionPolicy ?? "",
    ],
  },
});

function withDefaults(sent: PriorityClass): PriorityClass {
  return { ...sent, value: sent.value ?? 0, preemptionPolicy: sent.preemptionPolicy ?? "PreemptLowerPriority" };
}
