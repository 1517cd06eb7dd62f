import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHex } from "../bytes/index.ts";
import { formatIpAddress, parseIpAddress } from "./ip-address.ts";

describe("IP addresses", () => {
  // The examples of RFC 5952 §4 among them.
  const canonical: Readonly<Record<string, string>> = {
    "0a000001": "10.0.0.1",
    "00000000000000000000000000000000": "::",
    "00000000000000000000000000000001": "::1",
    "20010db8000000000000000000000001": "2001:db8::1",
    "20010db8000000010001000100010001": "2001:db8:0:1:1:1:1:1",
    "20010db8000000000001000000000001": "2001:db8::1:0:0:1",
    "20010db800000000000100000000aaaa": "2001:db8::1:0:0:aaaa",
    "00010000000000000000000000000000": "1::",
    "00000000000000000000ffffc0000201": "::ffff:192.0.2.1",
  };
  for (const [hex, text] of Object.entries(canonical)) {
    it(`are written as ${text} and read back`, () => {
      expect(formatIpAddress(parseHex(hex))).toBe(text);
      expect(parseIpAddress(text)).toEqual(parseHex(hex));
    });
  }

  it("are read in every spelling of IPv6", () => {
    const spellings = ["2001:DB8:0:0:0:0:0:1", "2001:0db8::0001", "2001:db8:0::1", "2001:db8::0.0.0.1"];
    for (const text of spellings) expect(formatIpAddress(parseIpAddress(text) ?? new Uint8Array())).toBe("2001:db8::1");
  });

  it("are refused in a spelling that has two readings or none", () => {
    const texts = [
      ["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", " 1.2.3.4", "0x1.2.3.4", "1.2.3.4/8", "host"],
      [
        ":",
        ":::",
        "1::2::3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::8",
        "12345::",
        "g::",
        "fe80::1%eth0",
      ],
      ["::1.2.3", "1.2.3.4::", "::ffff:01.2.3.4", ":1::", "1::2:"],
    ].flat();
    for (const text of texts) expect(parseIpAddress(text), text).toBeUndefined();
  });

  it("survive being written and read", () => {
    const octets = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
    );
    fc.assert(
      fc.property(octets, (address) => {
        expect(parseIpAddress(formatIpAddress(address))).toEqual(address);
      }),
    );
  });

  it("have 4 or 16 octets", () => {
    for (const length of [0, 3, 5, 8, 15, 17, 32])
      expect(() => formatIpAddress(new Uint8Array(length))).toThrow("octets");
  });
});
