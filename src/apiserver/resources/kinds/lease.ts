// Lease: a heartbeat. PUT creates a missing one, and never without a resourceVersion otherwise.

import type { Lease } from "../../../api/core/index.ts";
import { LEASES } from "../../../api/meta/index.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { defineStrategy } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../table.ts";

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
