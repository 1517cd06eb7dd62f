import { describe, expect, it } from "vitest";
import { encodeHex, encodeUtf8, parseHex } from "../bytes/index.ts";
import { encodeDirectoryString, encodeIa5Content, parseString } from "./strings.ts";
import { TAG } from "./tags.ts";

describe("name strings", () => {
  it("writes PrintableString where the text allows it, else UTF8String", () => {
    const printable = ["system:node:worker-1", "system:nodes", "", "a=b?c'(d)+,./ "];
    const utf8 = ["worker_1", "a@b", "*", "a&b", "nœud", "a;b"];
    for (const text of printable) expect(encodeDirectoryString(text)[0], text).toBe(TAG.printableString);
    for (const text of utf8) expect(encodeDirectoryString(text)[0], text).toBe(TAG.utf8String);
    expect(encodeHex(encodeDirectoryString("é"))).toBe("0c02c3a9");
  });

  it("reads every string type that Go reads", () => {
    expect(parseString(TAG.utf8String, encodeUtf8("nœud"))).toBe("nœud");
    expect(parseString(TAG.printableString, encodeUtf8("AT&T *.example"))).toBe("AT&T *.example");
    expect(parseString(TAG.ia5String, encodeUtf8("a@b"))).toBe("a@b");
    expect(parseString(TAG.numericString, encodeUtf8("12 3"))).toBe("12 3");
    expect(parseString(TAG.t61String, Uint8Array.of(0xe9))).toBe("é");
    expect(parseString(TAG.bmpString, parseHex("00e9263a"))).toBe("é☺");
  });

  const refused: Readonly<Record<string, readonly [tag: number, hex: string]>> = {
    "an at sign in a PrintableString": [TAG.printableString, "6140"],
    "a line break in a PrintableString": [TAG.printableString, "610a"],
    "an octet over 127 in an IA5String": [TAG.ia5String, "80"],
    "a letter in a NumericString": [TAG.numericString, "61"],
    "ill-formed UTF-8": [TAG.utf8String, "c3"],
    "half a BMP character": [TAG.bmpString, "00"],
    "a surrogate in a BMPString": [TAG.bmpString, "d83d"],
    "a type that is no string": [TAG.octetString, "61"],
  };
  for (const [sentence, [tag, hex]] of Object.entries(refused)) {
    it(`refuses ${sentence}`, () => expect(() => parseString(tag, parseHex(hex))).toThrow());
  }

  it("refuses to write IA5 that is not ASCII", () => {
    expect(encodeIa5Content("a.b")).toEqual(encodeUtf8("a.b"));
    expect(() => encodeIa5Content("nœud")).toThrow("ASCII");
  });
});
