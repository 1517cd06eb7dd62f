import { describe, expect, it } from "vitest";
import { nextWakeAt, watchTimeoutMs } from "./lifetime.ts";

describe("the timeout of a watch", () => {
  it.each([
    ["is what the client asks for", 42, 0.5, 42_000],
    ["is 30 minutes at least by default", undefined, 0, 1_800_000],
    ["is random up to an hour by default", undefined, 0.5, 2_700_000],
    ["is the default for zero", 0, 0, 1_800_000],
    ["is the default for nonsense", -5, 0, 1_800_000],
  ])("%s", (_, seconds, random, expected) => {
    expect(watchTimeoutMs(seconds, () => random)).toBe(expected);
  });
});

describe("a watch wakes", () => {
  it.each([
    ["after a minute", 0, 600_000, 60_000],
    ["two seconds before its end when that is sooner", 0, 50_000, 48_000],
    ["at its end after that", 48_000, 50_000, 50_000],
    ["at its end when it lives for less than two seconds", 0, 1_000, 1_000],
  ])("%s", (_, nowMs, deadlineMs, expected) => {
    expect(nextWakeAt(nowMs, deadlineMs)).toBe(expected);
  });
});
