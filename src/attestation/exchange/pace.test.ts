import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anExchange, PCRS } from "../../../test/builders/exchange.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { CHALLENGE_ANNOTATION } from "../evidence/index.ts";
import {
  afterRefusal,
  countHello,
  isRefusal,
  loadPace,
  requireNoPause,
  savePace,
  UNHURRIED,
  withPcrsOf,
} from "./pace.ts";

const NOW_MS = 1_794_772_300_000;
const MINUTE_MS = 60_000;
const refusal = (next: string) => new Fault("denied", "request x was denied: Why: because", { detail: { next } });

describe("the pace of exchanges", () => {
  it("allows twelve hellos in an hour, and the next when the first is an hour old", () => {
    let pace = UNHURRIED;
    for (let count = 0; count < 12; count++) pace = countHello(pace, NOW_MS + count);
    expect(() => countHello(pace, NOW_MS + 59 * MINUTE_MS)).toThrow("12 exchanges were begun within an hour");
    expect(countHello(pace, NOW_MS + 60 * MINUTE_MS).hellos).toHaveLength(12);
  });

  it("does not count hellos of the future: the clock was set back", () => {
    const pace = { ...UNHURRIED, hellos: Array(12).fill(NOW_MS + MINUTE_MS) };
    expect(countHello(pace, NOW_MS).hellos).toEqual([NOW_MS]);
  });

  it("pauses longer after each refusal, at most ten minutes, by chance", () => {
    const at = { nowMs: NOW_MS, fraction: 1 };
    let pace = UNHURRIED;
    const pauses = Array.from({ length: 9 }, () => {
      pace = afterRefusal(pace, refusal("back-off"), at);
      return ((pace.pause?.untilMs ?? 0) - NOW_MS) / 1_000;
    });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
    expect(afterRefusal(UNHURRIED, refusal("back-off"), { ...at, fraction: 0.1 }).pause?.untilMs).toBe(NOW_MS + 500);
  });

  it("always pauses ten minutes where an operator must help, and says meanwhile why", () => {
    const pace = afterRefusal(UNHURRIED, refusal("operator"), { nowMs: NOW_MS, fraction: 0 });
    expect(() => requireNoPause(pace, NOW_MS + 599_999)).toThrow(/was denied: Why: because \(asked again after 20/);
    expect(() => requireNoPause(pace, NOW_MS + 600_000)).not.toThrow();
    // The clock was set back by a year.
    expect(() => requireNoPause(pace, NOW_MS - 365 * 24 * 60 * MINUTE_MS)).not.toThrow();
  });

  it("takes no accident and no pause itself for a refusal", () => {
    expect(isRefusal(refusal("operator"))).toBe(true);
    expect(isRefusal(new Fault("unavailable", "the TPM is away"))).toBe(false);
    expect(isRefusal(new Fault("denied", "x", { detail: { next: "operator", isPaused: true } }))).toBe(false);
  });

  it("remembers which PCRs a challenge asked for, and nothing of a challenge that cannot be read", () => {
    const annotation = anExchange().challenged.annotations[CHALLENGE_ANNOTATION] ?? "";
    expect(withPcrsOf(UNHURRIED, annotation)).toEqual({ ...UNHURRIED, pcrs: PCRS });
    expect(withPcrsOf(UNHURRIED, "a challenge")).toBe(UNHURRIED);
  });

  describe("on disk", () => {
    let path = "";
    beforeEach(() => {
      path = join(mkdtempSync(join(tmpdir(), "countersign-pace-")), "pace");
    });
    afterEach(() => rmSync(join(path, ".."), { recursive: true, force: true }));

    it("comes back as it was", async () => {
      const pace = afterRefusal(countHello(UNHURRIED, NOW_MS), refusal("operator"), { nowMs: NOW_MS, fraction: 0 });
      await savePace(path, { ...pace, pcrs: [0, 7] });
      expect(await loadPace(path)).toEqual({ ...pace, pcrs: [0, 7] });
    });

    it.each(["", "{", "null", "[]", "{}", '{"hellos":"x","denials":-1,"pause":{"untilMs":"x"},"registers":[24]}'])(
      "counts as nothing where it cannot be read (%s)",
      async (text) => {
        writeFileSync(path, text);
        expect(await loadPace(path)).toEqual(UNHURRIED);
      },
    );
  });
});
