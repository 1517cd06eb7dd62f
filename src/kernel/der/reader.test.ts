import { describe, expect, it } from "vitest";
import { codeOf } from "../../../test/builders/code-of.ts";
import { parseHex } from "../bytes/index.ts";
import { DerReader, readWholeSequence } from "./reader.ts";
import { TAG } from "./tags.ts";
import { encodeTlv } from "./writer.ts";

describe("DerReader", () => {
  it("reads elements in order without copying", () => {
    const bytes = parseHex("300602010504017f");
    const content = DerReader.over(bytes).enter(TAG.sequence);
    expect(content.readRaw(TAG.integer)).toEqual(parseHex("020105"));
    const octets = content.read(TAG.octetString);
    expect(octets).toEqual(parseHex("7f"));
    expect(octets.buffer).toBe(bytes.buffer);
    expect(content.isEmpty).toBe(true);
    expect(content.nextTag).toBeUndefined();
    content.finish();
  });

  it("enters an optional element only where it is", () => {
    const reader = DerReader.over(parseHex("a003020100"));
    expect(reader.enterOptional(0xa1)).toBeUndefined();
    expect(reader.enterOptional(0xa0)?.nextTag).toBe(TAG.integer);
  });

  it("reads an element of any length in its shortest form", () => {
    for (const length of [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000]) {
      const element = encodeTlv(TAG.octetString, [new Uint8Array(length)]);
      expect(DerReader.over(element).read(TAG.octetString)).toHaveLength(length);
    }
  });

  const refused: Readonly<Record<string, string>> = {
    "an indefinite length": "30800000",
    "a long form for a short length": "04810100",
    "a leading zero octet in the length": "0482008000",
    "a length beyond the end": "040200",
    "a length beyond the enclosing element": "3003040500",
    "a header without a length": "30",
    "a header whose length is cut off": "3082",
    "another tag": "0401ff",
    "nothing at all": "",
    "bytes after the sequence": "300000",
    "bytes after the last element": "30030101ff05",
  };
  for (const [sentence, hex] of Object.entries(refused)) {
    it(`refuses ${sentence}`, () => {
      const read = () => readWholeSequence(parseHex(hex), (content) => content.isEmpty || content.read(TAG.boolean));
      expect(codeOf(read)).toBe("malformed");
    });
  }

  it("refuses an element of more than 16 MiB before looking for it", () => {
    expect(codeOf(() => DerReader.over(parseHex("048401000000")).read(TAG.octetString))).toBe("limit-exceeded");
  });

  it("refuses a multi-octet tag", () => {
    expect(codeOf(() => DerReader.over(parseHex("3f8101")).readAnyRaw())).toBe("unsupported");
  });

  it("refuses to nest without end", () => {
    let nested: Uint8Array = new Uint8Array();
    for (let depth = 0; depth < 100; depth++) nested = encodeTlv(TAG.sequence, [nested]);
    const descend = (reader: DerReader): void => {
      if (!reader.isEmpty) descend(reader.enter(TAG.sequence));
    };
    expect(codeOf(() => descend(DerReader.over(nested)))).toBe("limit-exceeded");
  });
});
