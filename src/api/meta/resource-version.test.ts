import { describe, expect, it } from "vitest";
import { parseResourceVersion } from "./resource-version.ts";

describe("a resourceVersion", () => {
  it.each([
    ["", 0],
    ["0", 0],
    ["1", 1],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["18446744073709551615", Number.MAX_SAFE_INTEGER],
  ])("%j is %j", (text, expected) => {
    expect(parseResourceVersion(text)).toBe(expected);
  });

  it.each(["01", "-1", "+1", "1.0", "1e3", " 1", "x", "0x1", "1".repeat(21)])("%j is refused", (text) => {
    expect(() => parseResourceVersion(text)).toThrow(expect.objectContaining({ code: "malformed" }));
  });
});
