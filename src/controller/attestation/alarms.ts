// An alarm → an Event, a metric that an alert reads (deploy/alerts), a line of the audit trail.

import type { KubeObject } from "../../api/meta/index.ts";
import type { AttestationWorld } from "./world.ts";

export interface Raised {
  readonly reason: string;
  readonly message: string;
  readonly node: string | undefined;
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
