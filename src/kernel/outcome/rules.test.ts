import { describe, expect, it } from "vitest";
import { judgeInOrder, notMine, notYet, pass, type Rule, refuse } from "./index.ts";

const approval = { reason: "Good", message: "all rules hold" };
const rule = (id: string, judge: Rule<string>["judge"]): Rule<string> => ({ id, sentence: id, judge });
const passes = rule("passes", () => pass("noted"));

describe("rules in order", () => {
  it("allow when all pass, with the notes of each", () => {
    const { verdict, trail } = judgeInOrder([passes, rule("last", () => pass())], "", approval);
    expect(verdict).toEqual({ kind: "Allow", rule: "last", ...approval });
    expect(trail).toEqual([
      { rule: "passes", outcome: "pass", note: "noted" },
      { rule: "last", outcome: "pass" },
    ]);
  });

  it.each([
    ["deny", refuse("No", "why"), { kind: "Deny", reason: "No" }],
    ["wait", notYet("Later", "why", 5), { kind: "Wait", retryAfterMs: 5 }],
    ["no-opinion", notMine("Theirs", "why"), { kind: "NoOpinion", reason: "Theirs" }],
  ] as const)("end with the first that answers %s; the rest are not asked", (outcome, finding, expected) => {
    const never = rule("never", () => {
      throw new Error("asked");
    });
    const { verdict, trail } = judgeInOrder([passes, rule("speaks", () => finding), never], "", approval);
    expect(verdict).toMatchObject({ rule: "speaks", message: "why", ...expected });
    expect(trail.map((entry) => entry.outcome)).toEqual(["pass", outcome, "not-reached"]);
  });

  it("leave out what is switched off, and say so", () => {
    const off = rule("unwanted", () => refuse("No", "why"));
    const { verdict, trail } = judgeInOrder([off, passes], "", { ...approval, isOff: (id) => id === "unwanted" });
    expect(verdict).toEqual({ kind: "Allow", rule: "passes", ...approval });
    expect(trail[0]).toEqual({ rule: "unwanted", outcome: "off" });
  });

  it("shorten what a requester made long, and are never none", () => {
    const { verdict } = judgeInOrder([rule("long", () => refuse("No", "x".repeat(60_000)))], "", approval);
    expect(verdict.message).toHaveLength(401);
    expect(() => judgeInOrder([], "", approval)).toThrow("needs rules");
  });
});
