// The daemon's log. Trouble always; diagnostics (what is used, requested, answered) from verbosity 2; the loops' own
// steps from 4. The numbers are kubelet's.

import type { Fault } from "../../kernel/outcome/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import type { Log, LogFields } from "../../platform/report/index.ts";
import type { BootPlan, CertificatePurpose, ManagerEvent, RequestState } from "../certificates/index.ts";

const DIAGNOSTICS = 2;
const LOOPS = 4;

export interface Journal {
  boot(plan: BootPlan): void;
  event(purpose: CertificatePurpose, event: ManagerEvent): void;
  notice(message: string): void;
  discovery(message: string): void;
}

interface Line {
  readonly level: "diagnostics" | "loops" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

export function createJournal(log: Log, verbosity: number): Journal {
  const write = (line: Line) => {
    const { level, message, fields } = line;
    if (level === "warn" || level === "error") log[level](message, fields);
    else if (verbosity >= (level === "loops" ? LOOPS : DIAGNOSTICS)) log.info(message, fields);
  };
  const said = new Map<string, string>();
  /** A state is logged once, not at every look. */
  const isNews = (purpose: CertificatePurpose, { message, fields }: Line) => {
    const words = JSON.stringify(fields);
    if (said.get(`${purpose} ${message}`) === words) return false;
    said.set(`${purpose} ${message}`, words);
    return true;
  };
  return {
    boot: (plan) => {
      const [message, fields] =
        plan.kind === "use"
          ? ["starting with a certificate", { source: plan.source }]
          : ["starting without a certificate", { why: plan.why }];
      write({ level: "diagnostics", message, fields });
    },
    notice: (message) => log.warn("certificate store", { what: message }),
    discovery: (message) => log.warn("where the cluster is", { what: message }),
    event: (purpose, event) => {
      const line = lineOf(event);
      const isState = event.kind === "request" || event.kind === "waiting";
      if (!isState || isNews(purpose, line)) write({ ...line, fields: { purpose, ...line.fields } });
    },
  };
}

function lineOf(event: ManagerEvent): Line {
  switch (event.kind) {
    case "using":
      return { level: "diagnostics", message: "using certificate", fields: times(event.pair) };
    case "stored":
      return { level: "diagnostics", message: "certificate stored", fields: { why: event.why, ...times(event.pair) } };
    case "asking":
      return { level: "diagnostics", message: "asking for a certificate", fields: { why: event.why, as: event.as } };
    case "requested": {
      const message = event.reused ? "found our earlier request" : "request created";
      return { level: "diagnostics", message, fields: { name: event.name } };
    }
    case "request":
      return { level: "diagnostics", message: "request", fields: stateOf(event.state) };
    case "failed":
      return { level: "error", ...failureOf(event.fault, event.retryMs) };
    case "refused":
      return { level: "warn", message: "the API server does not know our certificate", fields: times(event.pair) };
    case "skew": {
      const message = "this machine's clock differs from the API server's";
      return { level: "warn", message, fields: { aheadSeconds: -event.skewMs / 1_000 } };
    }
    case "waiting":
      return { level: "loops", message: "waiting", fields: { until: timeOf(event.untilMs) } };
  }
}

/**
 * A denial is an approver's decision, a failure the signer's; everything else is an accident, logged with its causes.
 */
function failureOf(fault: Fault, retryMs: number): Pick<Line, "message" | "fields"> {
  const retrySeconds = Math.round(retryMs / 1_000);
  if (fault.code === "denied") return { message: "certificate denied", fields: { why: fault.message, retrySeconds } };
  if (fault.code === "failed-request") {
    return { message: "certificate request failed", fields: { why: fault.message, retrySeconds } };
  }
  return { message: "no certificate", fields: { error: fault, retrySeconds } };
}

function times({ notBeforeMs, notAfterMs }: CertificatePair): LogFields {
  return { notBefore: timeOf(notBeforeMs), notAfter: timeOf(notAfterMs) };
}

function stateOf(state: RequestState): LogFields {
  return state.kind === "issued" ? { state: "issued" } : { state: state.kind, why: state.why };
}

function timeOf(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : "never";
}
