import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createFloodGuard } from "./flood-guard.ts";

describe("flood control", () => {
  function aGuard(pending: Record<string, number>) {
    const clock = createManualClock();
    const said: string[] = [];
    const note = (message: string) => void said.push(message);
    const guard = createFloodGuard({
      clock,
      log: { ...silentLog, info: note, warn: note },
      pendingOf: (requester) => pending[requester] ?? 0,
      limits: { pending: 3, rate: { perSecond: 10, burst: 1 } },
    });
    return { guard, clock, said };
  }

  it("leaves everybody alone up to the limit, and holds one back beyond it", () => {
    const pending: Record<string, number> = { honest: 3, flood: 4 };
    const { guard } = aGuard(pending);
    guard.onTake("honest");
    guard.holdMs("flood");
    guard.onTake("flood");
    expect([guard.holdMs("honest"), guard.holdMs("flood")]).toEqual([0, 100]);
  });

  it("names who floods, once, with how many, and says when it is over", () => {
    const pending: Record<string, number> = { flood: 4 };
    const { guard, said } = aGuard(pending);
    guard.holdMs("flood");
    guard.holdMs("flood");
    expect(guard.readings()).toEqual([[{ requester: "flood" }, 4]]);
    pending["flood"] = 3;
    expect([guard.holdMs("flood"), guard.readings()]).toEqual([0, []]);
    expect(said).toEqual([
      "a requester floods the cluster with requests and is served slowly",
      "a requester floods no longer",
    ]);
  });
});
