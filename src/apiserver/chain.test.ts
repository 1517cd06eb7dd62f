import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Call } from "./call.ts";
import { type Parts, runChain, STAGES, type Stage } from "./chain.ts";

describe("the chain", () => {
  it("is written in the order a request walks it", () => {
    expect(STAGES.map((stage) => stage.name)).toEqual([
      "reply",
      "entry",
      "authentication",
      "audit",
      "impersonation",
      "limits",
      "authorization",
      "admission",
      "resources",
      "storage",
      "watching",
    ]);
  });

  it("names folders that exist", () => {
    for (const { path } of STAGES) expect(existsSync(new URL(`../../${path}`, import.meta.url))).toBe(true);
  });

  it("runs down and comes back up", async () => {
    const walked: string[] = [];
    const stage = (name: string): Stage => ({
      name,
      path: "",
      run: async (_call, next) => {
        walked.push(`> ${name}`);
        const answer = await next();
        walked.push(`< ${name}`);
        return answer;
      },
    });
    await runChain({} as Call, {} as Parts, [stage("a"), stage("b")]);
    expect(walked).toEqual(["> a", "> b", "< b", "< a"]);
  });
});
