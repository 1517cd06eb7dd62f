import { describe, expect, it } from "vitest";
import { parseLogLevel, verbosityOf } from "./index.ts";

describe("how much is said", () => {
  it.each([
    ["0", "warn"],
    ["1", "warn"],
    ["2", "info"],
    ["3", "info"],
    ["4", "debug"],
    ["10", "debug"],
  ])("--v=%s is %s", (v, level) => expect(parseLogLevel({ v })).toBe(level));

  it("is said in words as well, in one of the two ways, and by default is info", () => {
    expect(parseLogLevel({ level: "error" })).toBe("error");
    expect(parseLogLevel({})).toBe("info");
    expect(() => parseLogLevel({ level: "info", v: "2" })).toThrow("expected one of them");
    for (const v of ["", "-1", "11", "2.5", "four", "0x4"])
      expect(() => parseLogLevel({ v }), v).toThrow("from 0 to 10");
    expect(() => parseLogLevel({ level: "loud" })).toThrow("--log-level");
  });

  it("means the same both ways round", () => {
    for (const level of ["debug", "info", "warn"] as const)
      expect(parseLogLevel({ v: String(verbosityOf(level)) })).toBe(level);
  });
});
