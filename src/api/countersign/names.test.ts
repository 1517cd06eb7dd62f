import { describe, expect, it } from "vitest";
import {
  canonicalDns,
  canonicalIp,
  compileName,
  fillTemplate,
  isInPrefix,
  matchesName,
  readJoinPolicy,
} from "./index.ts";

describe("names in canonical form", () => {
  it("knows neither case nor a dot at the end", () => {
    expect(canonicalDns("Worker-3.Example.COM.")).toBe("worker-3.example.com");
  });

  it.each([
    ["10.0.0.3", "10.0.0.3"],
    ["FD00:0:0:0:0:0:0:3", "fd00::3"],
    ["::ffff:10.0.0.3", "10.0.0.3"],
    ["worker-3", undefined],
    ["010.0.0.3", undefined],
  ])("%s is %s", (text, canonical) => expect(canonicalIp(text)).toBe(canonical));
});

describe("isInPrefix", () => {
  const prefix = (text: string) => {
    const { serving } = readJoinPolicy({
      metadata: { name: "p" },
      spec: { mode: "Shadow", serving: { inventory: { ipPrefixes: [text] } } },
    });
    return serving.inventory.ipPrefixes[0] ?? { text, octets: new Uint8Array(), bits: 0 };
  };
  it.each<[string, string, boolean]>([
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["10.0.0.129", "10.0.0.128/25", true],
    ["10.0.0.127", "10.0.0.128/25", false],
    ["10.0.0.1", "10.0.0.1/32", true],
    ["1.2.3.4", "0.0.0.0/0", true],
    ["fd00::1", "0.0.0.0/0", false],
    ["fd00::1", "fd00::/8", true],
    ["fe00::1", "fd00::/8", false],
    ["worker", "0.0.0.0/0", false],
  ])("%s in %s: %s", (ip, text, isIn) => expect(isInPrefix(ip, prefix(text))).toBe(isIn));
});

describe("patterns", () => {
  it("are for the whole name, anchored or not", () => {
    const pattern = compileName("worker-[0-9]+", "p");
    expect(matchesName(pattern, "worker-3")).toBe(true);
    expect(matchesName(pattern, "worker-3.evil.example")).toBe(false);
  });

  it("take no more time for a text that is made to take it", () => {
    const pattern = compileName("(a+)+b", "p");
    expect(matchesName(pattern, "a".repeat(5_000))).toBe(false);
  });
});

describe("fillTemplate", () => {
  it("puts words in as they are, and leaves everything else to the pattern", () => {
    const filled = fillTemplate("{machine}-[a-z]{3}{other}", { machine: "m.1" });
    expect(filled).toBe("m\\.1-[a-z]{3}{other}");
    const pattern = compileName(fillTemplate("{machine}-[a-z]{3}", { machine: "m.1" }), "test");
    expect(matchesName(pattern, "m.1-abc")).toBe(true);
    expect(matchesName(pattern, "mx1-abc")).toBe(false);
  });
});
