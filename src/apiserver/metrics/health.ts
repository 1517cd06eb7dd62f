// /healthz, /livez and /readyz: is the process alive, and may it get traffic? Each is a list of named checks; the
// answer names them only on request, and never why one failed. Behaviour of k8s.io/apiserver/pkg/server/healthz.

import { createMetrics } from "../../platform/report/index.ts";
import type { Answer } from "../call.ts";
import type { Query } from "../entry/target.ts";

interface Check {
  readonly name: string;
  isHealthy(): boolean;
}

export interface Health {
  checks(path: string): readonly Check[];
  /** The results of the checks so far, for /metrics/slis. */
  expose(): string;
  /** From now on /readyz fails, so that load balancers send nothing new. */
  shutDown(): void;
}

/** Only readiness fails during a shutdown: a process that drains is alive. */
const READY_ONLY = "shutdown";

export function createHealth(checks: readonly Check[]): Health {
  let isStopping = false;
  const ready: Check = { name: READY_ONLY, isHealthy: () => !isStopping };
  const { record, expose, isEmpty } = createRecord();
  const recorded = (path: string) => (check: Check) => ({
    ...check,
    isHealthy: () => record(check.name, path, check.isHealthy()),
  });
  const checksOf = (path: string): readonly Check[] => {
    const all = [{ name: "ping", isHealthy: () => true }, ...checks, ...(path === "readyz" ? [ready] : [])];
    return all.map(recorded(path));
  };
  return {
    checks: checksOf,
    expose: () => {
      // Without any health request so far, the checks run for the metrics.
      if (isEmpty()) for (const path of PATHS) for (const check of checksOf(path)) check.isHealthy();
      return expose();
    },
    shutDown: () => {
      isStopping = true;
    },
  };
}

/** Under the names of k8s.io/component-base/metrics/prometheus/slis. */
function createRecord() {
  const metrics = createMetrics();
  const last = metrics.gauge({ name: "kubernetes_healthcheck", help: "What a check answered last: 1 is healthy." });
  const total = metrics.counter({ name: "kubernetes_healthchecks_total", help: "What checks have answered so far." });
  let count = 0;
  const record = (name: string, type: string, isHealthy: boolean): boolean => {
    count += 1;
    last.set({ name, type }, isHealthy ? 1 : 0);
    total.add({ name, status: isHealthy ? "success" : "error", type });
    return isHealthy;
  };
  return { record, expose: metrics.expose, isEmpty: () => count === 0 };
}

const PATHS: readonly string[] = ["healthz", "livez", "readyz"];

/** Undefined for a path that is none of them. `segments` as `["readyz", "ping"]`. */
export function healthAnswer(health: Health, segments: readonly string[], query: Query): Answer | undefined {
  const [path = "", name, ...more] = segments;
  if (!PATHS.includes(path) || more.length > 0) return undefined;
  const all = health.checks(path);
  if (name !== undefined) {
    const check = all.find((one) => one.name === name);
    return check === undefined ? undefined : single(check);
  }
  const excluded = query.first("exclude");
  return summary(
    path,
    all.filter((one) => one.name !== excluded),
    query.has("verbose"),
  );
}

function single(check: Check): Answer {
  return check.isHealthy() ? text(200, "ok") : text(500, "internal server error: reason withheld\n");
}

function summary(path: string, checks: readonly Check[], isVerbose: boolean): Answer {
  const results = checks.map((check) => ({ name: check.name, isHealthy: check.isHealthy() }));
  const isHealthy = results.every((one) => one.isHealthy);
  if (isHealthy && !isVerbose) return text(200, "ok");
  const lines = results.map((one) =>
    one.isHealthy ? `[+]${one.name} ok\n` : `[-]${one.name} failed: reason withheld\n`,
  );
  return text(isHealthy ? 200 : 500, `${lines.join("")}${path} check ${isHealthy ? "passed" : "failed"}\n`);
}

function text(status: number, body: string): Answer {
  return { kind: "text", status, text: body };
}
