import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { parseYaml, parseYamlInSteps, repeatedKeysOf } from "./yaml.ts";

const read = (text: string) => parseYaml(encodeUtf8(text));
const malformed = expect.objectContaining({ code: "malformed" });

describe("a YAML body", () => {
  it("is read as the JSON that it stands for", () => {
    expect(read("a: 1\nb: [x, 'y']\nc:\n  - d: null\n")).toEqual({ a: 1, b: ["x", "y"], c: [{ d: null }] });
    expect(read('{"a": 1}')).toEqual({ a: 1 });
    expect(read("")).toBe(null);
  });

  it("is read as Kubernetes reads it: the first document, tags, keys that are numbers, the last of repeated keys", () => {
    expect(read("a: 1\n---\nb: [\n")).toEqual({ a: 1 });
    expect(read("---\na: 1\n...\n---\nb: 2\n")).toEqual({ a: 1 });
    expect(read('a: !!str 1\nb: !!int "2"\nc: !mine d\n')).toEqual({ a: "1", b: 2, c: "d" });
    expect(read("1: a\ntrue: b\n")).toEqual({ "1": "a", true: "b" });
    expect(read("a: 1\na: 2\n")).toEqual({ a: 2 });
    expect(read("a: yes\nb: off\nc: 0644\nd: 'no'\ne: nope\n")).toEqual({
      a: true,
      b: false,
      c: 420,
      d: "no",
      e: "nope",
    });
  });

  it("may begin with a brace and still be no JSON", () => {
    expect(read("{a: 1, b: [x]}")).toEqual({ a: 1, b: ["x"] });
    expect(read('{"a": 1}\n# the end\n')).toEqual({ a: 1 });
  });

  it("tells which keys are repeated, and where", () => {
    const bytes = encodeUtf8("a: 1\nb:\n  c: 2\n  c: 3\na: 4\n");
    parseYaml(bytes);
    const complaint =
      'yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map';
    expect(repeatedKeysOf(bytes)).toBe(complaint);
    expect(repeatedKeysOf(encodeUtf8("a: 1"))).toBeUndefined();
  });

  it("is read in steps with the same result, and refused when it has too many words", async () => {
    const text = `x:\n${"- a\n".repeat(9_000)}`;
    let pauses = 0;
    const inSteps = await parseYamlInSteps(encodeUtf8(text), async () => {
      pauses += 1;
    });
    expect(inSteps).toEqual(read(text));
    expect(pauses).toBeGreaterThan(10);
    expect(() => read(`x: [${"1, ".repeat(30_000)}]`)).toThrow("YAML is limited to 60000 words and marks");
    expect(() => read(`a: 1\n${"# c\n".repeat(30_000)}`)).toThrow("YAML is limited to 60000 words and marks");
  });

  it("may be as deep as JSON", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(JSON.stringify(read(deep(200)))).toBe(deep(200));
    expect(() => read(deep(201))).toThrow(malformed);
  });

  // Some hundred of these once ended the process: the parser's recursion met the end of the stack inside of a regular
  // expression.
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
    ["an alias", "a: &x 1\nb: *x\n"],
    ["a binary value", "a: !!binary eA==\n"],
    ["a number that is none", "a: .inf\n"],
    ["a key that is a list", "? [a]\n: b\n"],
    ["no key", "~: a\n"],
    ["an open quote", 'a: "x\n'],
  ])("is refused with %s", (_name, text) => {
    expect(() => read(text)).toThrow(malformed);
  });
});
