import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes, encodeHex, encodeUtf8, equalBytes, parseHex, parseUtf8 } from "./index.ts";

describe("bytes", () => {
  it("concatenates as Buffer does", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 8 })), (parts) => {
        expect([...concatBytes(parts)]).toEqual([...Buffer.concat(parts)]);
      }),
    );
  });

  it("compares by content and length", () => {
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1))).toBe(false);
    expect(equalBytes(new Uint8Array(), new Uint8Array())).toBe(true);
  });

  it("writes hexadecimal in lower case and reads both cases", () => {
    expect(encodeHex(Uint8Array.of(0, 0xab, 0xff))).toBe("00abff");
    expect(parseHex("00aBFf")).toEqual(Uint8Array.of(0, 0xab, 0xff));
    for (const text of ["0", "0g", "0x", "é0"]) expect(() => parseHex(text), text).toThrow("hexadecimal");
  });

  it("reads UTF-8 strictly", () => {
    expect(parseUtf8(encodeUtf8("\ufeffnœud 🖥"))).toBe("\ufeffnœud 🖥");
    const illFormed = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]];
    for (const bytes of illFormed) expect(() => parseUtf8(Uint8Array.from(bytes))).toThrow("well-formed UTF-8");
  });
});
