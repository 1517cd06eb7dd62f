// What the gateway counts. Labels hold what it decided itself, never what a client wrote.

import type { Metrics } from "../platform/report/index.ts";
import type { Route } from "./judge.ts";

export interface Meter {
  answered(identity: Route["identity"], status: number): void;
  /** Connections that left HTTP: +1 when one begins, -1 when it ends. */
  upgraded(by: 1 | -1): void;
  backendFailed(code: string): void;
  reloaded(): void;
}

export function createMeter(metrics: Metrics, inFlight: () => number): Meter {
  const requests = metrics.counter({
    name: "countersign_gateway_requests_total",
    help: "Answered requests by how the caller was known and by status.",
  });
  const failures = metrics.counter({
    name: "countersign_gateway_backend_failures_total",
    help: "Requests that the API server behind did not answer, by the error's code.",
  });
  const upgrades = metrics.gauge({
    name: "countersign_gateway_upgraded_connections",
    help: "Connections that left HTTP and are open now.",
  });
  const reloads = metrics.counter({
    name: "countersign_gateway_certificate_reloads_total",
    help: "How often certificates, keys or CA bundles were taken from changed files.",
  });
  metrics.reading(
    { name: "countersign_gateway_requests_in_flight", help: "Requests that are being answered now.", type: "gauge" },
    inFlight,
  );
  return {
    answered: (identity, status) => requests.add({ identity, code: String(status) }),
    upgraded: (by) => upgrades.add({}, by),
    backendFailed: (code) => failures.add({ code }),
    reloaded: () => reloads.add({}),
  };
}
