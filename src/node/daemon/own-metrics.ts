// What kubelet does not count: how rotations end, how long a request waits and in which state, the store, the clock.

import type { Clock } from "../../platform/clock/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import type { Gauge, Metrics } from "../../platform/report/index.ts";
import type { CertificatePurpose, ManagerEvent, RequestState } from "../certificates/index.ts";

/** Asked whenever somebody reads the numbers. */
export type CurrentPairSource = () => CertificatePair | undefined;

export interface OwnMetrics {
  addLifetime(purpose: CertificatePurpose, current: CurrentPairSource): void;
  count(purpose: CertificatePurpose, event: ManagerEvent): void;
  countMovedAside(): void;
}

/** How an attempt ended, by the code of its fault. */
const OUTCOMES: Readonly<Record<string, string>> = { denied: "denied", "failed-request": "failed" };

export function createOwnMetrics(metrics: Metrics, clock: Clock): OwnMetrics {
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

/** By the object: a start that ends after five minutes and begins anew finds the same request, which has not become younger. */
function stageOf(state: RequestState): { readonly name: string; readonly sinceMs?: number | undefined } {
  if (state.kind !== "pending") return { name: "decided" };
  return { name: state.approved ? "approved" : "pending", sinceMs: state.sinceMs };
}
