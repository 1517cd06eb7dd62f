import { describe, expect, it } from "vitest";
import { canonicalQuantity, parseQuantity } from "./quantity.ts";

describe("a quantity has one form", () => {
  const forms: Record<string, string> = {
    "0": "0",
    "0.0Ki": "0",
    "1": "1",
    "+1": "1",
    "-1500m": "-1500m",
    "1000m": "1",
    "0.1": "100m",
    "0.5Gi": "512Mi",
    "1024Mi": "1Gi",
    "1023Mi": "1023Mi",
    "512": "512",
    "1Ki": "1Ki",
    "0.5Ki": "512",
    "1500": "1500",
    "1000": "1k",
    "1000000": "1M",
    "100000k": "100M",
    "1e3": "1e3",
    "1.5e3": "1500",
    "12E": "9223372036854775807",
    "1n": "1n",
    "0.1n": "1n",
    ".5": "500m",
    "5.": "5",
  };
  it.each(Object.entries(forms))("%s is %s", (text, form) => {
    expect(canonicalQuantity(text)).toBe(form);
    expect(canonicalQuantity(form)).toBe(form);
  });
});

describe("what is no quantity", () => {
  it.each(["", "m", "1 Gi", "1gi", "1KI", "--1", "1.2.3", "0x1", "Infinity", "NaN", "1e", "9".repeat(65)])(
    "is refused: %s",
    (text) => expect(parseQuantity(text)).toBeUndefined(),
  );
});
