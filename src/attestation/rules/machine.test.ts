import { describe, expect, it } from "vitest";
import { aMachine, anExchange, anIdentity, helloFacts, NODE, NOW_MS } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import type { EvidenceFacts } from "./facts.ts";
import { machineIsExpected, machineIsYoung } from "./machine.ts";

const HOUR_MS = 3_600_000;
const tpm = aSoftTpm();
const exchange = anExchange({ tpm });
const madeBefore = (ageMs: number): EvidenceFacts["machines"] => ({
  kind: "Present",
  value: [aMachine({ createdMs: NOW_MS - ageMs })],
});
const known = { kind: "Present", value: anIdentity(tpm) } as const;
const until = new Date(NOW_MS + HOUR_MS).toISOString();
const opened = {
  kind: "Present",
  value: { ...anIdentity(tpm, { provider: "aws" }), spec: { nodeName: NODE, reset: { until } } },
} as const;

const judge = (overrides: Partial<EvidenceFacts>, of = exchange) => {
  const finding = machineIsYoung.judge(helloFacts(of, overrides));
  return finding.kind === "Pass" ? "Pass" : `${finding.kind} ${finding.reason}`;
};

describe("machine-is-expected, of an enrolled machine", () => {
  const enrolled = {
    kind: "Present",
    value: { apiVersion: "", kind: "", metadata: {}, spec: { nodeName: NODE } },
  } as const;
  const heldBy = (isProven: boolean) => {
    const machineHolders = { kind: "Present", value: [{ node: "worker-2", isProven }] } as const;
    return machineIsExpected.judge(
      helloFacts(exchange, { machines: { kind: "Absent" }, identity: enrolled, machineHolders }),
    );
  };

  it("passes though a node that proved nothing took its provider ID", () => expect(heldBy(false).kind).toBe("Pass"));
  it("refuses the provider ID of a node that was proven or enrolled", () =>
    expect(heldBy(true)).toMatchObject({ kind: "Deny", reason: "MachineMismatch" }));
});

describe("machine-is-young", () => {
  it.each<[string, Partial<EvidenceFacts>]>([
    ["a join within the window", { machines: madeBefore(2 * HOUR_MS) }],
    ["a machine that joined before", { machines: madeBefore(99 * HOUR_MS), identity: known }],
    ["a machine for which an operator opened the pins", { machines: madeBefore(99 * HOUR_MS), identity: opened }],
    [
      "a member of a pool, whose age is the pool's",
      { machines: { kind: "Present", value: [aMachine({ createdMs: 0, isPoolMember: true })] } },
    ],
    ["a cluster without Machines", { machines: { kind: "Absent" } }],
    ["a window that slow metal has longer", { machines: madeBefore(9 * HOUR_MS), joinWindowMs: 10 * HOUR_MS }],
  ])("passes %s", (_, facts) => expect(judge(facts)).toBe("Pass"));

  it.each<[string, Partial<EvidenceFacts>]>([
    ["a first join after the window", { machines: madeBefore(2 * HOUR_MS + 1) }],
    ["a Machine of which nobody knows the age", { machines: madeBefore(Number.NaN) }],
    [
      "a machine that another provider attested",
      {
        machines: madeBefore(99 * HOUR_MS),
        identity: { kind: "Present", value: anIdentity(tpm, { provider: "aws" }) },
      },
    ],
  ])("refuses %s", (_, facts) => expect(judge(facts)).toBe("Deny JoiningWindowIsOver"));
});
