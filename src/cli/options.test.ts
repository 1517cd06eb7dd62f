import { describe, expect, it } from "vitest";
import { durationOption, listOption, outputForm, portOption, requiredText } from "./options.ts";

describe("options", () => {
  const read: Record<string, [unknown, unknown]> = {
    "a duration in seconds": [durationOption({ ttl: "90s" }, "ttl"), 90_000],
    "a duration in days": [durationOption({ ttl: "7d" }, "ttl"), 604_800_000],
    "a duration as Go writes it": [durationOption({ ttl: "24h0m0s" }, "ttl"), 86_400_000],
    "a port": [portOption({ port: "6443" }, "port"), 6443],
    "port 0, which means a free one": [portOption({ port: "0" }, "port"), 0],
    "a flag that may be repeated": [listOption({ pin: ["a", "b"] }, "pin"), ["a", "b"]],
    "a flag that was not given": [listOption({}, "pin"), []],
    "the output form": [outputForm({ output: "json" }), "json"],
  };
  for (const [name, [got, want]] of Object.entries(read)) {
    it(`reads ${name}`, () => expect(got).toEqual(want));
  }

  const refused: Record<string, () => unknown> = {
    "a duration without unit": () => durationOption({ ttl: "15" }, "ttl"),
    "a duration with a gap": () => durationOption({ ttl: "1h 5m" }, "ttl"),
    "a negative duration": () => durationOption({ ttl: "-1h" }, "ttl"),
    "a port beyond the last": () => portOption({ port: "65536" }, "port"),
    "a port in words": () => portOption({ port: "https" }, "port"),
    "an empty value": () => requiredText({ nodeName: "" }, "nodeName"),
    "an unknown output form": () => outputForm({ output: "xml" }),
  };
  for (const [name, run] of Object.entries(refused)) {
    it(`refuses ${name}, naming the flag`, () => {
      expect(run).toThrowError(
        expect.objectContaining({ code: "bad-config", message: expect.stringMatching(/--[a-z-]+/) }),
      );
    });
  }
});
