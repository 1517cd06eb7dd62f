import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { type CanonicalValue, canon, encodeCanonical, parseCanonical } from "./canonical.ts";

const parse = (text: string) => parseCanonical(encodeUtf8(text));

describe("canonical JSON", () => {
  it("gives back what it wrote", () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    const leaf = fc.oneof(text, fc.maxSafeNat(), fc.boolean());
    const level1 = fc.dictionary(text, fc.oneof(leaf, fc.array(leaf)));
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(leaf, level1)), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as CanonicalValue;
        expect(parseCanonical(encodeCanonical(plain))).toEqual(plain);
      }),
    );
  });

  it("sorts keys as text, also those that look like numbers", () => {
    expect(canon({ b: 1, a: 2, "10": 3, "9": 4 })).toBe('{"10":3,"9":4,"a":2,"b":1}');
    expect(parse('{"10":3,"9":4}')).toEqual({ "10": 3, "9": 4 });
  });

  const refused: Readonly<Record<string, string>> = {
    "a key twice": '{"a":1,"a":2}',
    "unsorted keys": '{"b":1,"a":2}',
    "white space": '{"a": 1}',
    "white space before": ' {"a":1}',
    "a line feed behind": '{"a":1}\n',
    "a second value behind": '{"a":1}{}',
    "a needless escape": '{"a":"\\u0041"}',
    "an escaped slash": '{"a":"\\/"}',
    "a letter outside ASCII": '{"a":"é"}',
    "a control character": '{"a":"\\n"}',
    "a number with a point": '{"a":1.0}',
    "a fraction": '{"a":1.5}',
    "an exponent": '{"a":1e2}',
    "minus zero": '{"a":-0}',
    "a negative number": '{"a":-1}',
    "a number beyond 2^53": '{"a":9007199254740993}',
    "a leading zero": '{"a":01}',
    null: '{"a":null}',
    "null alone": "null",
    "seven levels": "[[[[[[[]]]]]]]",
    "nothing at all": "",
    "no JSON": "hello",
    "a comma behind": '{"a":1,}',
  };
  it.each(Object.entries(refused))("refuses %s", (_, text) => expect(() => parse(text)).toThrow());

  it("refuses what is not UTF-8, and a byte order mark", () => {
    expect(() => parseCanonical(Uint8Array.of(0x22, 0xff, 0x22))).toThrow("UTF-8");
    expect(() => parse("\ufeff{}")).toThrow();
  });

  it("writes nothing that it would not read", () => {
    for (const value of [null, undefined, 1.5, -1, "é", { a: undefined }, Number.NaN])
      expect(() => canon(value as never)).toThrow("canonical");
  });
});
