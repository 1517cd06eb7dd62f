// Who waits because too many do (protocol 7.1): a flood of requests must not become a flood of writes, so nothing is written on the
// objects and one Event a minute tells of all of them.

import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { EventRecorder } from "../../../platform/kube/index.ts";
import type { Counter } from "../../../platform/report/index.ts";

const EVENT_EVERY_MS = 60_000;

export interface Crowd {
  /** One more request waits its turn. */
  note(csr: CertificateSigningRequest, why: { readonly reason: string; readonly message: string }): void;
}

export interface CrowdOptions {
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventRecorder, "record">;
  readonly waits?: Counter | undefined;
}

export function createCrowd({ clock, events, waits }: CrowdOptions): Crowd {
  let toldMs = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return {
    note: (csr, { reason, message }) => {
      waits?.add({ reason });
      untold++;
      if (clock.now() - toldMs < EVENT_EVERY_MS) return;
      const requester = JSON.stringify(csr.spec.username ?? "");
      const said = `${message}; ${untold} waits since the last such event, this one of ${requester}`;
      events.record(csr, { type: "Warning", reason, message: said });
      toldMs = clock.now();
      untold = 0;
    },
  };
}
