// Metrics of requests, under the names and labels of kube-apiserver, so that dashboards and alerts written for it fit.

import { addProcessMetrics, createMetrics, type Labels } from "../../platform/report/index.ts";
import type { Call } from "../call.ts";
import type { RequestKind } from "../limits/gate.ts";

/** Those of kube-apiserver. */
const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Counts requests. */
export interface Meter {
  /** A request is inside (+1) or has left (-1). */
  inside(kind: RequestKind, by: 1 | -1): void;
  answered(call: Call, answer: { readonly status: number; readonly durationMs: number }): void;
  /** A watch is open; call the result when it has ended. */
  watching(call: Call): () => void;
  /** A request was refused because too many others were running. */
  dropped(kind: RequestKind): void;
  /** A request that names a duration got its certificate: is it valid as long as requested? */
  issued(signerName: string, isAsAsked: boolean): void;
  /** The whole page. */
  expose(): string;
}

export function createMeter(nowMs: number): Meter {
  const metrics = createMetrics();
  const total = metrics.counter({
    name: "apiserver_request_total",
    help: "Requests by verb, dry run, group, version, resource, scope, component and response code.",
  });
  const duration = metrics.histogram({
    name: "apiserver_request_duration_seconds",
    help: "Response latency in seconds.",
    buckets: DURATION_BUCKETS,
  });
  const inflight = metrics.gauge({
    name: "apiserver_current_inflight_requests",
    help: "Requests that are being answered now, by kind.",
  });
  const longrunning = metrics.gauge({
    name: "apiserver_longrunning_requests",
    help: "Open watches by verb, group, version, resource, scope and component.",
  });
  const dropped = metrics.counter({
    name: "apiserver_dropped_requests_total",
    help: "Requests refused with 429 because too many others were running.",
  });
  const requestedDuration = metrics.counter({
    name: "apiserver_certificates_registry_csr_requested_duration_total",
    help: "Issued certificates whose request named a duration, by signer.",
  });
  const honoredDuration = metrics.counter({
    name: "apiserver_certificates_registry_csr_honored_duration_total",
    help: "Issued certificates that live about as long as their request asked for, by signer.",
  });
  addProcessMetrics(metrics, nowMs);
  const remembered = createMemory();
  return {
    inside: (kind, by) => inflight.add(INSIDE[kind], by),
    answered: (call, { status, durationMs }) => {
      const key = seriesOf(call);
      const about = remembered(key, () => labelsOf(call));
      const dryRun = call.query.has("dryRun") ? "All" : "";
      total.add(remembered(`${key} ${dryRun} ${status}`, () => ({ ...about, dry_run: dryRun, code: String(status) })));
      if (call.info.verb !== "watch") duration.observe(about, durationMs / 1_000);
    },
    watching: (call) => {
      const about = labelsOf(call);
      longrunning.add(about, 1);
      return () => longrunning.add(about, -1);
    },
    dropped: (kind) => dropped.add({ request_kind: kind }),
    issued: (signerName, isAsAsked) => {
      const about = { signerName: signerName.startsWith("kubernetes.io/") ? signerName : "other" };
      requestedDuration.add(about);
      if (isAsAsked) honoredDuration.add(about);
    },
    expose: metrics.expose,
  };
}

const INSIDE: Readonly<Record<RequestKind, Labels>> = {
  mutating: { request_kind: "mutating" },
  readOnly: { request_kind: "readOnly" },
};

/** More than all kinds, verbs and codes together; kinds may come and go. */
const MAX_REMEMBERED = 4_096;

/** Equal labels are the same object, so that their text is made once and not for every request. */
function createMemory(): (key: string, make: () => Labels) => Labels {
  const known = new Map<string, Labels>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const made = make();
    known.set(key, made);
    return made;
  };
}

/** What the labels depend on. */
function seriesOf({ info, endpoint }: Call): string {
  const { verb, group, version, resource, subresource, isResource } = info;
  if (!isResource || endpoint === undefined) return VERBS.has(verb) ? verb : "";
  return `${verb} ${group}/${version} ${resource}/${subresource} ${scopeOf(info)}`;
}

const VERBS: ReadonlySet<string> = new Set([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/** Only names of what this server serves become labels: a client could choose any other text. */
function labelsOf({ info, endpoint }: Call): Labels {
  const verb = VERBS.has(info.verb) ? info.verb.toUpperCase() : "OTHER";
  const known = info.isResource && endpoint !== undefined;
  return {
    verb,
    group: known ? info.group : "",
    version: known ? info.version : "",
    resource: known ? info.resource : "",
    subresource: known ? info.subresource : "",
    scope: known ? scopeOf(info) : "",
    component: "apiserver",
  };
}

function scopeOf({ name, namespace, verb }: Call["info"]): string {
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
