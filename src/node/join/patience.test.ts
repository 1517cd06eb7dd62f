import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { createPatience } from "./patience.ts";

describe("the word about a wait", () => {
  const start = () => {
    const clock = createManualClock();
    const said: string[] = [];
    return { clock, said, patience: createPatience(clock, (why) => said.push(why)) };
  };

  it("is not said when the wait is short", async () => {
    const { clock, said, patience } = start();
    patience.note("nobody has judged it yet");
    await clock.advance(1_900);
    patience.end();
    await clock.advance(10_000);
    expect(said).toEqual([]);
  });

  it("is the latest one when the wait is long, and is said once", async () => {
    const { clock, said, patience } = start();
    patience.note("nobody has judged it yet");
    patience.note("no Machine yet");
    await clock.advance(2_000);
    patience.note("no Machine yet");
    patience.note("approved, not signed yet");
    expect(said).toEqual(["no Machine yet", "approved, not signed yet"]);
    patience.end();
  });
});
