import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeHex, parseHex } from "../bytes/index.ts";
import { encodeOidContent, parseOid } from "./oid.ts";

describe("OIDs", () => {
  const known: Readonly<Record<string, string>> = {
    "2.5.4.3": "550403",
    "1.2.840.113549.1.1.11": "2a864886f70d01010b",
    "1.3.6.1.4.1.11129.2.1.21": "2b06010401d6790201 15".replace(" ", ""),
    "0.39": "27",
    "2.999": "8837",
    "2.25.329800735698586629295641978511506172918": "6983f09da7ebcfdee0c7a1a7b2c0948cc8f9d776",
  };
  for (const [text, hex] of Object.entries(known)) {
    it(`knows ${text} in both forms`, () => {
      expect(encodeHex(encodeOidContent(text))).toBe(hex);
      expect(parseOid(parseHex(hex))).toBe(text);
    });
  }

  it("returns from DER what went in", () => {
    const arc = fc.bigInt({ min: 0n, max: (1n << 120n) - 1n });
    const oid = fc.tuple(fc.constantFrom("0", "1"), fc.integer({ min: 0, max: 39 }), fc.array(arc, { maxLength: 3 }));
    fc.assert(
      fc.property(oid, ([root, second, rest]) => {
        const text = [root, second, ...rest].join(".");
        expect(parseOid(encodeOidContent(text))).toBe(text);
      }),
    );
  });

  it("refuses content that is no OID or not the shortest form of one", () => {
    for (const hex of ["", "80", "2a80", "2a8001", "8001"]) expect(() => parseOid(parseHex(hex)), hex).toThrow("OID");
    expect(() => parseOid(new Uint8Array(65).fill(1))).toThrow("64 octets");
  });

  it("refuses text that is no OID", () => {
    for (const text of ["", "1", "3.1", "1.40", "1.2.", "1.02", "1.-2", "1.2a"]) {
      expect(() => encodeOidContent(text), text).toThrow("OID");
    }
  });
});
