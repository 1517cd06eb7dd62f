import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Fault } from "../../src/kernel/outcome/index.ts";
import { createDaemonMetrics } from "../../src/node/daemon/metrics.ts";
import { parsePair } from "../../src/platform/pair/index.ts";
import { aNodeCa } from "../builders/node-ca.ts";
import { createManualClock } from "../fakes/clock.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const { groups } = parse(
  readFileSync(new URL("../../deploy/alerts/countersign-node.rules.yaml", import.meta.url), "utf8"),
);
const rules: readonly Rule[] = groups.flatMap((group: { rules: Rule[] }) => group.rules);

/** kube-state-metrics' own, as its documentation lists them. */
const FOREIGN = [
  "kube_certificatesigningrequest_created",
  "kube_certificatesigningrequest_condition",
  "kube_certificatesigningrequest_cert_length",
];

/** Everything the daemon shows once each thing has happened. */
function exposed(): string {
  const clock = createManualClock();
  const metrics = createDaemonMetrics(clock);
  const { certificatePem, keyPem } = aNodeCa().issueNode();
  const pair = parsePair(certificatePem + keyPem);
  for (const purpose of ["client", "server"] as const) {
    const tell = metrics.follow(purpose, () => pair);
    tell({ kind: "request", state: { kind: "pending", approved: false, why: "" } });
    tell({ kind: "failed", fault: new Fault("io-failed", "full"), retryMs: 0 });
    tell({ kind: "using", pair, previous: pair });
  }
  return metrics.expose();
}

describe("a request that waits", () => {
  const sinceOf = (text: string, state: string) =>
    Number(new RegExp(`request_since_seconds\\{purpose="client",state="${state}"\\} (\\d+)`).exec(text)?.[1]);

  it("is as old as the object says, although the daemon has just started again", () => {
    const clock = createManualClock(1_000_000);
    const metrics = createDaemonMetrics(clock);
    const tell = metrics.follow("client", () => undefined);
    tell({ kind: "request", state: { kind: "pending", approved: false, why: "", sinceMs: 400_000 } });
    expect(sinceOf(metrics.expose(), "pending")).toBe(400);
    tell({ kind: "request", state: { kind: "pending", approved: true, why: "", sinceMs: 700_000 } });
    expect([sinceOf(metrics.expose(), "pending"), sinceOf(metrics.expose(), "approved")]).toEqual([0, 700]);
    tell({ kind: "request", state: { kind: "issued", certificatePem: "" } });
    expect(sinceOf(metrics.expose(), "approved")).toBe(0);
  });
});

describe("the alert rules", () => {
  it("have distinct names, a severity and a summary each", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(["warning", "critical"]).toContain(labels.severity);
      expect(annotations.summary).not.toBe("");
    }
  });

  it("ask only for numbers that somebody serves", () => {
    const served = new Set([...exposed().matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const asked = rules.flatMap(({ expr }) => expr.match(/\b(?:kube|kubelet|countersign)_\w+/g) ?? []);
    expect(asked.filter((name) => !served.has(name) && !FOREIGN.includes(name))).toEqual([]);
  });

  it("hold the seed's objectives: 5 % of the life, and five minutes for a request", () => {
    const expressions = rules.map(({ expr }) => expr.replace(/\s+/g, " "));
    expect(expressions).toContainEqual(
      expect.stringContaining("< 0.05 * countersign_node_client_certificate_lifetime_seconds"),
    );
    const requests = rules.filter(({ alert }) => /Request(Pending|NotIssued)$/.test(alert));
    expect(requests).toHaveLength(4);
    for (const { expr } of requests) expect(expr).toContain("> 300");
  });
});
