import { describe, expect, it } from "vitest";
import { allow, deny, type Judgement, wait } from "../../../kernel/outcome/index.ts";
import { judgeBeforeRefusing } from "./judge-again.ts";

const said = (rule: string) => ({ rule, reason: "Because", message: "of that" });
const judgement = (verdict: Judgement["verdict"]): Judgement => ({ verdict, trail: [] });
const refused = (rule: string) => judgement(deny(said(rule)));

/** What becomes of a judgement by copies, where the server would be judged kindly. */
async function judge(byCopies: Judgement, isOver = false) {
  let reads = 0;
  const judging = {
    gather: async () => {
      reads++;
      return "live";
    },
    judge: (facts: string) => (facts === "live" ? judgement(allow(said("last"))) : byCopies),
  };
  const world = { limits: { overflow: { isOver: () => isOver } } } as never;
  const judged = await judgeBeforeRefusing(world, judging, "copied");
  return [judged.judgement.verdict.kind, judged.facts, reads];
}

describe("what copies would refuse", () => {
  it("is judged by what the server says now", async () => {
    expect(await judge(refused("endorsement-key-is-well-formed"))).toEqual(["Allow", "live", 1]);
  });

  it.each<[string, Judgement, boolean]>([
    ["for what the request itself says", refused("envelope-is-readable"), false],
    ["in a flood of refusals", refused("endorsement-key-is-well-formed"), true],
  ])("is refused %s, and nobody is asked", async (_, byCopies, isOver) => {
    expect(await judge(byCopies, isOver)).toEqual(["Deny", "copied", 0]);
  });

  it.each<[string, Judgement]>([
    ["allow", judgement(allow(said("last")))],
    ["wait with", judgement(wait(said("machine-is-expected"), 1_000))],
  ])("is not what they %s", async (_, byCopies) => {
    expect(await judge(byCopies)).toEqual([byCopies.verdict.kind, "copied", 0]);
  });
});
