// A trail as it is written, and what becomes visible of everything that can be done to it afterwards.

import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { ChainHead } from "./chain.ts";
import { auditLog, checkTrail, createAuditTrail, parseLine } from "./index.ts";

function aTrail(chain = "c1", found: readonly ChainHead[] = []) {
  const lines: string[] = [];
  const disk = { isFull: false };
  const trail = createAuditTrail({
    clock: createManualClock(),
    replica: "replica-1",
    chain,
    sink: {
      append: (line) => {
        if (disk.isFull) throw new Fault("io-failed", "no space");
        lines.push(line);
      },
      sync: async () => undefined,
    },
  });
  trail.begin(found);
  return { trail, lines, disk };
}

function filled(chain?: string, found?: readonly ChainHead[]) {
  const made = aTrail(chain, found);
  for (const csr of ["a", "b", "c"]) made.trail.record("verdict", { csr, verdict: "Allow" });
  return made;
}

const problemsOf = (lines: readonly string[], anchors?: readonly ChainHead[]) =>
  checkTrail(lines, anchors).chains.flatMap(({ chain, problems }) => problems.map((problem) => `${chain}: ${problem}`));

describe("a trail", () => {
  it("is one JSON object a line, linked, beginning with the heads that were found", () => {
    const { lines } = filled("c2", [{ chain: "c1", seq: 7, hash: "f".repeat(64) }]);
    const parsed = lines.map((line) => parseLine(line));
    expect(parsed.map((line) => [line?.seq, line?.event])).toEqual([
      [0, "chain started"],
      [1, "verdict"],
      [2, "verdict"],
      [3, "verdict"],
    ]);
    expect(parsed[0]?.fields).toEqual({ heads: [{ chain: "c1", seq: 7, hash: "f".repeat(64) }] });
    expect(parsed[2]?.previous).toBe(parsed[1]?.hash);
  });

  it("is whole, and the cluster vouches for it", () => {
    const { lines, trail } = filled();
    const head = trail.head();
    const { chains, ignored } = checkTrail([...lines, "some log line", ""], head === undefined ? [] : [head]);
    expect(chains).toEqual([{ chain: "c1", lines: 4, lastSeq: 3, by: "replica-1", problems: [], anchored: true }]);
    expect(ignored).toBe(1);
  });

  it("keeps lines that the disk does not take, says so, and writes them in order when it does", () => {
    const { lines, trail, disk } = aTrail();
    disk.isFull = true;
    trail.record("verdict", { csr: "a" });
    expect([lines.length, trail.isWritten()]).toEqual([1, false]);
    disk.isFull = false;
    trail.record("verdict", { csr: "b" });
    expect([lines.length, trail.isWritten(), problemsOf(lines)]).toEqual([3, true, []]);
  });

  it("has what features log for it, and nothing else", () => {
    const { lines, trail } = aTrail();
    const log = auditLog(silentLog, trail).child({ loop: "signing" });
    log.info("certificate issued", { audit: true, csr: "a" });
    log.info("loop started", { loop: "signing" });
    expect(lines.slice(1).map((line) => [parseLine(line)?.event, parseLine(line)?.fields])).toEqual([
      ["certificate issued", { csr: "a" }],
    ]);
  });
});

describe("what was done to a trail shows", () => {
  const { lines, trail } = filled();
  const [start = "", first = "", second = "", third = ""] = lines;
  const head = trail.head();
  const forged = first.replace('"Allow"', '"Deny" ');
  const other = filled("c1").lines[2] ?? "";

  const table: Record<string, [lines: readonly string[], problem: RegExp]> = {
    "a line taken out": [[start, second, third], /line 2 follows line 0: lines are missing/],
    "two lines exchanged": [[start, second, first, third], /line 1 follows line 2/],
    "a line changed": [[start, forged, second, third], /line 1 of chain c1 was changed/],
    "the beginning taken off": [[second, third], /begins with line 2/],
    "the end cut off": [[start, first], /the cluster knows line 3, the last one here is 1: the end was cut off/],
    "everything taken away": [[], /the cluster knows 4 lines of it, none is here/],
  };
  it.each(Object.entries(table))("%s", (_, [left, problem]) => {
    expect(problemsOf(left, head === undefined ? [] : [head]).join("\n")).toMatch(problem);
  });

  it("a rewritten end, with digests that are right in themselves", () => {
    const own = aTrail();
    own.trail.record("verdict", { csr: "a", verdict: "Allow" });
    own.trail.record("verdict", { csr: "b", verdict: "Deny" });
    own.trail.record("verdict", { csr: "c", verdict: "Allow" });
    expect(problemsOf(own.lines)).toEqual([]);
    expect(problemsOf(own.lines, head === undefined ? [] : [head])).toEqual([
      "c1: line 3 is not the one that the cluster knows",
    ]);
    expect(other).toBe(second);
  });

  it("an earlier replica's chain that is missing, by the word of its successor alone", () => {
    const next = filled("c2", head === undefined ? [] : [head]);
    expect(problemsOf([...lines, ...next.lines])).toEqual([]);
    expect(problemsOf(next.lines)).toEqual(["c1: the cluster knows 4 lines of it, none is here"]);
    expect(problemsOf([...lines.slice(0, -1), ...next.lines])).toEqual([
      "c1: the cluster knows line 3, the last one here is 2: the end was cut off",
    ]);
  });
});
