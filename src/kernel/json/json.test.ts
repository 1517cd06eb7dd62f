import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from "./json.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("parseJson", () => {
  it("takes a document", () => {
    expect(parseJson(bytes('{"a":[1,"b",null,true]}'))).toEqual({ a: [1, "b", null, true] });
  });

  const refused = {
    "no JSON": "{",
    "two documents": "{} {}",
    "a comment": "{/**/}",
    "a key that changes the prototype": '{"metadata":{"__proto__":{"labels":{}}}}',
    "an escaped such key": '{"\\u005f_proto__":1}',
    "such a key inside a list": '[[{"__proto__":1}]]',
  };
  it.each(Object.entries(refused))("refuses %s", (_name, text) => {
    expect(() => parseJson(bytes(text))).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("takes the deepest nesting and refuses one level more", () => {
    const nested = (depth: number) => bytes("[".repeat(depth) + "]".repeat(depth));
    expect(() => parseJson(nested(MAX_JSON_DEPTH))).not.toThrow();
    expect(() => parseJson(nested(MAX_JSON_DEPTH + 1))).toThrow(expect.objectContaining({ code: "malformed" }));
    expect(() => parseJson(nested(1_000_000))).toThrow(expect.objectContaining({ code: "limit-exceeded" }));
  });

  it("counts values, not the commas and braces in strings", () => {
    const list = (count: number) => bytes(`[${Array(count).fill('"a,{["').join(",")}]`);
    expect(() => parseJson(list(MAX_JSON_VALUES - 1))).not.toThrow();
    expect(() => parseJson(list(MAX_JSON_VALUES))).toThrow(`an object may hold ${MAX_JSON_VALUES} values`);
    expect(() => parseJson(bytes(`{"a":"${",[".repeat(1_000_000)}"}`))).not.toThrow();
  });

  it("never repeats the input in its message, which may hold a secret", () => {
    expect(() => parseJson(bytes('{"token":"s3cret"'))).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("s3cret") }),
    );
  });
});
