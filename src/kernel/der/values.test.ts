import { describe, expect, it } from "vitest";
import { encodeHex, parseHex } from "../bytes/index.ts";
import { DerReader } from "./reader.ts";
import {
  readBitString,
  readBoolean,
  readDefaultFalse,
  readInteger,
  readNull,
  readOctetsInBitString,
  readSmallUnsigned,
  readUnsigned,
} from "./values.ts";
import { encodeBitString, encodeBoolean, encodeNamedBits, encodeSetOf, encodeUnsigned } from "./writer.ts";

const over = (hex: string) => DerReader.over(parseHex(hex));

describe("DER values", () => {
  it("reads canonical booleans only", () => {
    expect(readBoolean(over("0101ff"))).toBe(true);
    expect(readBoolean(over("010100"))).toBe(false);
    for (const hex of ["010101", "0100", "0102ffff"]) expect(() => readBoolean(over(hex)), hex).toThrow("boolean");
  });

  it("refuses a default that is written out", () => {
    expect(readDefaultFalse(over("0201ff"))).toBe(false);
    expect(readDefaultFalse(over("0101ff"))).toBe(true);
    expect(() => readDefaultFalse(over("010100"))).toThrow("default");
  });

  it("reads integers in their shortest form only", () => {
    expect(encodeHex(readInteger(over("0202ff7f")))).toBe("ff7f");
    expect(encodeHex(readUnsigned(over("02020080")))).toBe("80");
    expect(encodeHex(readUnsigned(over("020100")))).toBe("00");
    for (const hex of ["0200", "0202007f", "0202ff80", "02020000"]) {
      expect(() => readInteger(over(hex)), hex).toThrow("integer");
    }
    expect(() => readUnsigned(over("0201ff"))).toThrow("negative");
    expect(readSmallUnsigned(over("02020100"))).toBe(256);
    expect(() => readSmallUnsigned(over("020401000000"))).toThrow("24 bits");
  });

  it("reads bit strings whose unused bits are zero only", () => {
    expect(readBitString(over("030203f8"))).toEqual({ bytes: parseHex("f8"), unusedBits: 3 });
    expect(readBitString(over("030100")).bytes).toHaveLength(0);
    for (const hex of ["0300", "030101", "030208ff", "030203ff"]) {
      expect(() => readBitString(over(hex)), hex).toThrow("bit string");
    }
    expect(() => readOctetsInBitString(over("030203f8"))).toThrow("whole octets");
  });

  it("reads an empty null only", () => {
    readNull(over("0500"));
    expect(() => readNull(over("050100"))).toThrow("null");
  });

  it("writes what it reads", () => {
    expect(encodeHex(encodeUnsigned(parseHex("000080")))).toBe("02020080");
    expect(encodeHex(encodeUnsigned(parseHex("00")))).toBe("020100");
    expect(encodeHex(encodeUnsigned(new Uint8Array()))).toBe("020100");
    expect(encodeHex(encodeBoolean(true))).toBe("0101ff");
    expect(encodeHex(encodeBitString(parseHex("01")))).toBe("03020001");
    expect(encodeHex(encodeNamedBits([0, 5]))).toBe("03020284");
    expect(encodeHex(encodeNamedBits([8]))).toBe("0303070080");
    expect(encodeHex(encodeNamedBits([]))).toBe("030100");
  });

  it("sorts the members of a set", () => {
    const members = ["0402ffff", "040101", "04020000", "0401"].map(parseHex);
    expect(encodeHex(encodeSetOf(members))).toBe("310d0401040101040200000402ffff");
  });
});
