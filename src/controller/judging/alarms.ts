// An alarm → an Event, a metric that an alert reads (deploy/alerts), a line of the audit trail.

import type { KubeObject } from "../../api/meta/index.ts";
import type { Alarm } from "../../attestation/rules/index.ts";
import type { AttestationWorld, EvidenceLook } from "./exchange/world.ts";

interface Raised {
  readonly reason: string;
  readonly message: string;
  readonly node: string | undefined;
}

/**
 * Of a request that was let pass. To be called after the write that it brought: who only tried, and tries again, has
 * raised none.
 */
export function raiseAll(
  world: Pick<AttestationWorld, "events" | "alarms" | "log">,
  { csr, envelope }: Pick<EvidenceLook, "csr" | "envelope">,
  alarms: readonly Alarm[],
): void {
  for (const alarm of alarms) raise(world, csr, { ...alarm, node: envelope?.node });
}

export function raise(
  { events, alarms, log }: Pick<AttestationWorld, "events" | "alarms" | "log">,
  about: KubeObject,
  { reason, message, node }: Raised,
): void {
  events.record(about, { type: "Warning", reason, message });
  alarms?.add({ reason });
  log.info("alarm", { audit: true, kind: about.kind, name: about.metadata.name, node, reason, why: message });
}
