// What /readyz means here: this replica could lead now, or leads. A replica that stands by is ready too, and says so;
// one whose picture of the cluster is not complete, that has no CA to sign with, or whose audit trail cannot be
// written, is not.

import type { Check, Metrics } from "../../platform/report/index.ts";
import type { AuditTrail } from "../audit/index.ts";
import type { Controller } from "../compose.ts";
import type { Authorities } from "../signing/index.ts";

export interface Probed {
  readonly controller: Controller;
  readonly trail: AuditTrail;
  readonly authorities: Authorities;
}

export function readinessChecks({ controller, trail, authorities }: Probed): readonly Check[] {
  return [
    {
      name: "ca",
      look: () => {
        const { canSign = true, says = "usable" } = authorities.standing?.() ?? {};
        return { ok: canSign, says };
      },
    },
    {
      name: "caches",
      look: () => {
        const { unsynced } = controller.state();
        const ok = unsynced.length === 0;
        return { ok, says: ok ? "complete" : `not complete for ${unsynced.join(", ")}` };
      },
    },
    {
      name: "leadership",
      look: () => {
        const { isLeading, holder } = controller.state();
        if (isLeading) return { ok: true, says: "leading" };
        return { ok: true, says: holder === "" ? "standing by, nobody leads" : `standing by, ${holder} leads` };
      },
    },
    {
      name: "audit",
      look: () => ({ ok: trail.isWritten(), says: trail.isWritten() ? "written" : "lines wait for the disk" }),
    },
  ];
}

export function addLeaderMetric(metrics: Metrics, controller: Controller): void {
  metrics.reading(
    { name: "countersign_leader", help: "1 in the replica that leads, 0 in those that stand by.", type: "gauge" },
    () => (controller.state().isLeading ? 1 : 0),
  );
}
