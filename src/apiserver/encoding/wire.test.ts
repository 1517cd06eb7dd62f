import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHex } from "../../kernel/bytes/index.ts";
import {
  createCursor,
  readBool,
  readDouble,
  readInt32,
  readInt64,
  readTag,
  readText,
  readVarint,
  skipValue,
} from "./wire-reader.ts";
import { createWriter, type WireWriter, writeDouble, writeText, writeVarint, writtenBytes } from "./wire-writer.ts";

const written = (write: (writer: WireWriter) => void) => {
  const writer = createWriter();
  write(writer);
  return writtenBytes(writer);
};
const of = (hex: string) => createCursor(parseHex(hex));
const malformed = expect.objectContaining({ code: "malformed" });

describe("numbers", () => {
  it("come back as they were written", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(readInt64(createCursor(written((writer) => writeVarint(writer, value))))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(readInt32(createCursor(written((writer) => writeVarint(writer, value))))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(readDouble(createCursor(written((writer) => writeDouble(writer, value))))).toBe(value);
      }),
    );
  });

  const spelled: Record<string, [number, string]> = {
    zero: [0, "00"],
    "the last of one byte": [127, "7f"],
    "the first of two": [128, "8001"],
    "more than 32 bits": [2 ** 35, "808080808001"],
    "the largest": [Number.MAX_SAFE_INTEGER, "ffffffffffffff0f"],
    "minus one": [-1, "ffffffffffffffffff01"],
    "the smallest": [Number.MIN_SAFE_INTEGER, "81808080808080f0ff01"],
  };
  it.each(Object.entries(spelled))("%s is spelled as protobuf spells it", (_name, [value, hex]) => {
    expect(Buffer.from(written((writer) => writeVarint(writer, value))).toString("hex")).toBe(hex);
    expect(readInt64(of(hex))).toBe(value);
  });

  it("may be longer than they need, as in every reader", () => {
    expect(readVarint(of("8100"))).toBe(1);
    expect(readBool(of("808000"))).toBe(false);
    expect(readBool(of("80808080808001"))).toBe(true);
  });

  it("of 32 bits are cut as Go cuts them", () => expect(readInt32(of("ffffffff1f"))).toBe(-1));

  const refused: Record<string, string> = {
    "cut off": "80",
    empty: "",
    "of eleven bytes": "8080808080808080808001",
    "of more than 64 bits": "ffffffffffffffffff02",
    "beyond what JSON clients read exactly": "8080808080808010",
  };
  it.each(Object.entries(refused))("%s are refused", (_name, hex) => {
    expect(() => readInt64(of(hex))).toThrow(malformed);
  });
});

describe("strings", () => {
  it("come back as they were written, short or long, in any script", () => {
    const text = fc.oneof(fc.string({ maxLength: 100 }), fc.string({ unit: "grapheme", maxLength: 60 }));
    fc.assert(
      fc.property(text, (value) => {
        const bytes = written((writer) => writeVarint(writer, writeText(writer, value)));
        expect(readText(createCursor(bytes))).toBe(value);
      }),
    );
  });

  it.each(["0361", "01ff", "02c328", "05", "ffffffff0f", "ffffffffffffffffff01", `31${"41".repeat(48)}ff`])(
    "are refused when cut off or not UTF-8: %s",
    (hex) => expect(() => readText(of(hex))).toThrow(malformed),
  );
});

describe("unknown fields", () => {
  const skipped: Record<string, [string, number]> = {
    "a number": ["9601", 0],
    "eight bytes": ["0102030405060708", 1],
    "a stretch": ["03616263", 2],
    "a group with a group in it": ["0801131412000c", 3],
    "four bytes": ["01020304", 5],
  };
  it.each(Object.entries(skipped))("are passed over: %s", (_name, [hex, wireType]) => {
    const cursor = of(`${hex}`);
    skipValue(cursor, wireType);
    expect(cursor.at).toBe(cursor.end);
  });

  it.each([
    ["a group that does not end", "08", 3],
    ["the end of a group that has not begun", "00", 4],
    ["wire type 6", "00", 6],
    ["wire type 7", "00", 7],
    ["too few bytes", "01", 1],
  ])("are refused: %s", (_name, hex, wireType) => {
    expect(() => skipValue(of(hex), wireType)).toThrow(malformed);
  });

  it.each(["00", "07", "8080808010"])("have no number that does not exist: %s", (hex) => {
    expect(() => readTag(of(hex))).toThrow(malformed);
  });
});
