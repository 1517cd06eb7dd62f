import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { parseYaml } from "./yaml.ts";

const read = (text: string) => parseYaml(encodeUtf8(text));
const malformed = expect.objectContaining({ code: "malformed" });

describe("a YAML body", () => {
  it("is read as the JSON that it stands for", () => {
    expect(read("a: 1\nb: [x, 'y']\nc:\n  - d: null\n")).toEqual({ a: 1, b: ["x", "y"], c: [{ d: null }] });
    expect(read('{"a": 1}')).toEqual({ a: 1 });
    expect(read("")).toBe(null);
  });

  it("may be as deep as JSON", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(JSON.stringify(read(deep(200)))).toBe(deep(200));
    expect(() => read(deep(201))).toThrow(malformed);
  });

  // Some hundred of these once ended the process: the parser's recursion met the end of the stack inside of a regular expression.
  it.each([
    ["lists in lists", "[".repeat(8_000) + "]".repeat(8_000)],
    ["lists that never end", "[".repeat(100_000)],
    ["maps in maps", "{a: ".repeat(20_000)],
    ["a ladder of dashes", "- ".repeat(100_000)],
    ["a ladder of question marks", "? ".repeat(50_000)],
    ["a staircase", Array.from({ length: 600 }, (_, level) => `${" ".repeat(level)}a:`).join("\n")],
  ])("is refused when it is too deep: %s", (_name, text) => {
    expect(() => read(text)).toThrow(malformed);
  });

  it.each([
    ["two documents", "a: 1\n---\nb: 2\n"],
    ["an alias", "a: &x 1\nb: *x\n"],
    ["a tag", "a: !!binary eA==\n"],
    ["a repeated key", "a: 1\na: 2\n"],
    ["a number that is none", "a: .inf\n"],
    ["a key that is no string", "1: a\n"],
    ["an open quote", 'a: "x\n'],
  ])("is refused with %s", (_name, text) => {
    expect(() => read(text)).toThrow(malformed);
  });
});
