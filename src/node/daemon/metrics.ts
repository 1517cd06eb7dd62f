// The daemon's numbers under the names of kubelet's certificate manager (KEP-266 and today's), so that dashboards and alerts
// for kubelets serve for this as well. Our own are in own-metrics.ts.

import type { Clock } from "../../platform/clock/index.ts";
import { addProcessMetrics, createMetrics, type Metrics } from "../../platform/report/index.ts";
import type { CertificatePurpose, ManagerEvent } from "../certificates/index.ts";
import { type CurrentPairSource, createOwnMetrics } from "./own-metrics.ts";

/** kubelet's buckets: a minute to four years. */
const ROTATION_BUCKETS = [
  60, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

export interface DaemonMetrics {
  /** Adds the numbers of one certificate; what it answers is told everything that the manager says. */
  follow(purpose: CertificatePurpose, current: CurrentPairSource): (event: ManagerEvent) => void;
  countMovedAside(): void;
  expose(): string;
}

export function createDaemonMetrics(clock: Clock): DaemonMetrics {
  const metrics = createMetrics();
  const own = createOwnMetrics(metrics, clock);
  addProcessMetrics(metrics, clock.now());
  return {
    follow: (purpose, current) => {
      addExpiry(metrics, purpose, { clock, current });
      own.addLifetime(purpose, current);
      const count = addRenewals(metrics, purpose, clock);
      return (event) => {
        count(event);
        own.count(purpose, event);
      };
    },
    countMovedAside: own.countMovedAside,
    expose: () => metrics.expose(),
  };
}

interface Expiry {
  readonly clock: Clock;
  readonly current: CurrentPairSource;
}

function addExpiry(metrics: Metrics, purpose: CertificatePurpose, { clock, current }: Expiry): void {
  const prefix = `kubelet_certificate_manager_${purpose}`;
  metrics.reading(
    {
      name: `${prefix}_expiration_seconds`,
      help: "When the certificate in use expires, in seconds since the epoch; 0 without one.",
      type: "gauge",
    },
    () => (current()?.notAfterMs ?? 0) / 1_000,
  );
  metrics.reading(
    {
      name: `${prefix}_ttl_seconds`,
      help: "How long the certificate in use is still valid, in seconds; infinite without one.",
      type: "gauge",
    },
    () => {
      const pair = current();
      return pair === undefined ? Number.POSITIVE_INFINITY : Math.floor((pair.notAfterMs - clock.now()) / 1_000);
    },
  );
}

function addRenewals(metrics: Metrics, purpose: CertificatePurpose, clock: Clock): (event: ManagerEvent) => void {
  const prefix = `kubelet_certificate_manager_${purpose}`;
  const errors = metrics.counter({
    // The two names differ in kubelet, too.
    name: purpose === "client" ? `${prefix}_expiration_renew_errors` : "kubelet_server_expiration_renew_errors",
    help: "Attempts to renew the certificate that failed.",
  });
  const ages = metrics.histogram({
    name: `${prefix}_rotation_seconds`,
    help: "Age of a certificate when its successor came into use, in seconds.",
    buckets: ROTATION_BUCKETS,
  });
  errors.add({}, 0);
  return (event) => {
    if (event.kind === "failed") errors.add({});
    if (event.kind === "using" && event.previous !== undefined) {
      ages.observe({}, Math.max(clock.now() - event.previous.notBeforeMs, 0) / 1_000);
    }
  };
}
