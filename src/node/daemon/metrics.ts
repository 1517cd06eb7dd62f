// The daemon's metrics. First those of kubelet's certificate manager, under its names (KEP-266 and later), so that
// dashboards and alerts for kubelets work unchanged. Then our own: how rotations end, how long a request waits and in
// which state, the store, the clock.

import type { Clock } from "../../platform/clock/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import { addProcessMetrics, createMetrics, type Gauge, type Metrics } from "../../platform/report/index.ts";
import type { CertificatePurpose, ManagerEvent, RequestState } from "../certificates/index.ts";

/** kubelet's buckets: a minute to four years. */
const ROTATION_BUCKETS = [
  60, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
];

export interface DaemonMetrics {
  /** Adds the metrics of one certificate; returns the listener for the manager's events. */
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

/** Called at each scrape. */
type CurrentPairSource = () => CertificatePair | undefined;

interface OwnMetrics {
  addLifetime(purpose: CertificatePurpose, current: CurrentPairSource): void;
  count(purpose: CertificatePurpose, event: ManagerEvent): void;
  countMovedAside(): void;
}

/** How an attempt ended, by the code of its fault. */
const OUTCOMES: Readonly<Record<string, string>> = { denied: "denied", "failed-request": "failed" };

function createOwnMetrics(metrics: Metrics, clock: Clock): OwnMetrics {
  const rotations = metrics.counter({
    name: "countersign_node_certificate_rotations_total",
    help: "Attempts to get a certificate, by how they ended: stored, denied, failed at the signer, error.",
  });
  const storeErrors = metrics.counter({
    name: "countersign_node_certificate_store_errors_total",
    help: "Attempts that failed because the certificate directory could not be read or written.",
  });
  const movedAside = metrics.counter({
    name: "countersign_node_certificate_store_moved_aside_total",
    help: "Files of the certificate directory that were damaged or foreign and got another name.",
  });
  const ahead = metrics.gauge({
    name: "countersign_node_clock_ahead_seconds",
    help: "How far this machine's clock is ahead of the API server's, in seconds, as far as that is known.",
  });
  const noteRequest = addRequestAge(metrics, clock);
  for (const counter of [storeErrors, movedAside]) counter.add({}, 0);
  ahead.set({}, 0);
  return {
    addLifetime: (purpose, current) => addLifetime(metrics, purpose, current),
    countMovedAside: () => movedAside.add({}),
    count: (purpose, event) => {
      if (event.kind === "request") noteRequest(purpose, event.state);
      if (event.kind === "stored") rotations.add({ purpose, outcome: "stored" });
      if (event.kind === "failed") rotations.add({ purpose, outcome: OUTCOMES[event.fault.code] ?? "error" });
      if (event.kind === "failed" && event.fault.code === "io-failed") storeErrors.add({});
      if (event.kind === "skew") ahead.set({}, -event.skewMs / 1_000);
    },
  };
}

function addLifetime(metrics: Metrics, purpose: CertificatePurpose, current: CurrentPairSource): void {
  const name = `countersign_node_${purpose}_certificate_lifetime_seconds`;
  const help = "From notBefore to notAfter of the certificate in use, in seconds; 0 without one.";
  metrics.reading({ name, help, type: "gauge" }, () => {
    const pair = current();
    return pair === undefined ? 0 : (pair.notAfterMs - pair.notBeforeMs) / 1_000;
  });
}

function addRequestAge(metrics: Metrics, clock: Clock): (purpose: CertificatePurpose, state: RequestState) => void {
  const since: Gauge = metrics.gauge({
    name: "countersign_node_certificate_request_since_seconds",
    help: "When the request of this node that is pending was made, or approved where it is not issued, in seconds since the epoch; 0 when none is.",
  });
  const states = new Map<CertificatePurpose, string>();
  return (purpose, state) => {
    const { name: now, sinceMs } = stageOf(state);
    if (states.get(purpose) === `${now} ${sinceMs}`) return;
    states.set(purpose, `${now} ${sinceMs}`);
    for (const name of ["pending", "approved"]) {
      since.set({ purpose, state: name }, name === now ? (sinceMs ?? clock.now()) / 1_000 : 0);
    }
  };
}

/**
 * From the object's time: a start that gives up after five minutes and begins again finds the same request, with its
 * age.
 */
function stageOf(state: RequestState): { readonly name: string; readonly sinceMs?: number | undefined } {
  if (state.kind !== "pending") return { name: "decided" };
  return { name: state.approved ? "approved" : "pending", sinceMs: state.sinceMs };
}
