import { describe, expect, it } from "vitest";
import type { SubjectAltNames } from "./extensions/subject-alt-names.ts";
import { matchesDnsName, matchesIpAddress } from "./host-names.ts";

const names = (part: Partial<SubjectAltNames>): SubjectAltNames => ({
  dnsNames: [],
  ipAddresses: [],
  uris: [],
  emails: [],
  others: 0,
  ...part,
});

describe("a host name", () => {
  const allowed: readonly (readonly [pattern: string, host: string])[] = [
    ["api.example.com", "api.example.com"],
    ["API.Example.com", "api.EXAMPLE.com"],
    ["api.example.com", "api.example.com."],
    ["*.example.com", "api.example.com"],
    ["localhost", "localhost"],
  ];
  const refused: readonly (readonly [pattern: string, host: string])[] = [
    ["api.example.com", "example.com"],
    ["*.example.com", "example.com"],
    ["*.example.com", "a.b.example.com"],
    ["*.example.com", ".example.com"],
    ["a*.example.com", "api.example.com"],
    ["*", "localhost"],
    ["api.*.com", "api.example.com"],
    ["*.*.com", "api.example.com"],
    ["a_b.example.com", "a_b.example.com"],
    ["10.0.0.1", "10.0.0.1"],
    ["api.example.com.", "api.example.com"],
    ["-a.example.com", "-a.example.com"],
    ["", ""],
  ];
  for (const [pattern, host] of allowed) {
    it(`${host} is matched by ${pattern}`, () =>
      expect(matchesDnsName(names({ dnsNames: [pattern] }), host)).toBe(true));
  }
  for (const [pattern, host] of refused) {
    it(`"${host}" is not matched by "${pattern}"`, () => {
      expect(matchesDnsName(names({ dnsNames: [pattern] }), host)).toBe(false);
    });
  }

  it("is matched by no certificate without alternative names", () => {
    expect(matchesDnsName(undefined, "localhost")).toBe(false);
    expect(matchesIpAddress(undefined, "127.0.0.1")).toBe(false);
  });
});

describe("an IP address", () => {
  it("is compared as a number, with addresses only", () => {
    expect(matchesIpAddress(names({ ipAddresses: ["2001:db8::1"] }), "2001:DB8:0::1")).toBe(true);
    expect(matchesIpAddress(names({ dnsNames: ["127.0.0.1"] }), "127.0.0.1")).toBe(false);
    expect(matchesIpAddress(names({ ipAddresses: ["127.0.0.1"] }), "127.0.0.01")).toBe(false);
    expect(matchesIpAddress(names({ ipAddresses: ["127.0.0.1"] }), "localhost")).toBe(false);
  });
});
