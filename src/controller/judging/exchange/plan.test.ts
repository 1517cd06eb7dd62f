import { describe, expect, it } from "vitest";
import { allow, deny, noOpinion, wait } from "../../../kernel/outcome/index.ts";
import { type ExchangeStep, OWNED_WAIT_MS, planStep, type Sight } from "./plan.ts";

const said = { rule: "rule", reason: "Reason", message: "message" };
const [holds, refuses, waits, ours] = [allow(said), deny(said), wait(said, 1_000), noOpinion(said)];

const ROWS: Readonly<Record<string, readonly [Sight, ExchangeStep]>> = {
  "a hello that a rule refuses is told": [{ stage: "hello", verdict: refuses }, "tell"],
  "a hello that must wait is told": [{ stage: "hello", verdict: waits }, "tell"],
  "a hello that passes is challenged": [{ stage: "hello", verdict: holds }, "challenge"],
  "a hello under Shadow is not challenged": [{ stage: "hello", verdict: holds, isShadow: true }, "tell"],
  "a challenge of ours is kept": [{ stage: "challenged", verdict: ours }, "keep"],
  "a challenge of ours is kept under Shadow": [{ stage: "challenged", verdict: ours, isShadow: true }, "keep"],
  "a creator's challenge is denied": [{ stage: "challenged", verdict: refuses }, "tell"],
  "a proof that fails is refused, and its hello is not touched": [{ stage: "proof", verdict: refuses }, "refuse"],
  "a proof that must wait is told": [{ stage: "proof", verdict: waits }, "tell"],
  "a proof that passes uses its challenge up": [{ stage: "proof", verdict: holds }, "own"],
  "a proof under Shadow uses nothing up": [{ stage: "proof", verdict: holds, isShadow: true }, "tell"],
  "a failing proof under Shadow is told": [{ stage: "proof", verdict: refuses, isShadow: true }, "tell"],
  "a single that is recorded is approved": [{ stage: "proof", verdict: refuses, isRecorded: true }, "approve"],
  "what is recorded is approved under Shadow too": [
    { stage: "proof", verdict: holds, isRecorded: true, isShadow: true },
    "approve",
  ],
  "an owned proof that passes is pinned": [{ stage: "owned", verdict: holds }, "pin"],
  "an owned proof that is recorded is approved": [{ stage: "owned", verdict: waits, isRecorded: true }, "approve"],
  "an owned proof that fails ends the exchange": [{ stage: "owned", verdict: refuses }, "end"],
  "an owned proof may wait": [{ stage: "owned", verdict: waits, ageMs: OWNED_WAIT_MS }, "tell"],
  "an owned proof waits a quarter of an hour": [
    { stage: "owned", verdict: waits, ageMs: OWNED_WAIT_MS + 1 },
    "end-waiting",
  ],
};

describe("the next step of an exchange", () => {
  it.each(Object.entries(ROWS))("%s", (_, [sight, step]) => expect(planStep(sight)).toBe(step));
});
