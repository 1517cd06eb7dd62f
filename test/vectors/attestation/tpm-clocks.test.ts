// A TPM and a copy of it that renew in turn, through reboots and a clear, recorded from software TPMs by
// test/upstream/tpm-attacks.test.ts. Each exchange is judged against what the last accepted one pinned.
import { describe, expect, it } from "vitest";
import type { NodeIdentity } from "../../../src/api/countersign/index.ts";
import type { Seen } from "../../../src/kernel/outcome/index.ts";
import { endOf, pinnedBy, replay } from "../../builders/replayed-exchange.ts";
import recorded from "./tpm-clocks.json" with { type: "json" };

describe("the clocks of a TPM and its copy", () => {
  it("end each exchange as recorded", () => {
    let identity: Seen<NodeIdentity> = { kind: "Absent" };
    const ends = recorded.steps.map((step) => {
      const replayed = replay(step, { identity });
      const end = endOf(replayed);
      if (end === "Attested") identity = pinnedBy(replayed);
      return `${step.event}: ${end}`;
    });
    expect(ends).toEqual([
      "the first exchange: Attested",
      "again: Attested",
      "after a reboot: Attested",
      "the copy, which was started once more: Attested",
      "the original, which was started once less: TpmClockRegressed",
      "the original after two more reboots: Attested",
      "the copy, which is behind now: TpmClockRegressed",
      "the original after it was cleared: TpmClockRegressed",
    ]);
    expect(ends).toEqual(recorded.steps.map(({ event, expected }) => `${event}: ${expected}`));
  });
});
