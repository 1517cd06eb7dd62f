import { describe, expect, it } from "vitest";
import { MAX_YAML_BYTES, parseYaml } from "./yaml.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("parseYaml", () => {
  it("takes one document, and JSON of any length", () => {
    expect(parseYaml(bytes("a: 1\nb: [x, 'y', null, true]\nc: |\n  text\nd: yes\n"))).toEqual({
      a: 1,
      b: ["x", "y", null, true],
      c: "text\n",
      d: "yes",
    });
    const long = JSON.stringify({ a: "x".repeat(MAX_YAML_BYTES) });
    expect(parseYaml(bytes(long))).toEqual(JSON.parse(long));
  });

  const refused: Record<string, string> = {
    "no YAML": "a: [",
    "two documents": "a: 1\n---\nb: 2\n",
    "an alias": "a: &x 1\nb: *x\n",
    "a tag": "a: !!binary aGk=\n",
    "a repeated key": "a: 1\na: 2\n",
    "a repeated key inside": "a: {b: 1, b: 2}\n",
    "a key that is no string": "1: 2\n",
    "a number that JSON has not": "a: .inf\n",
    "a key that changes the prototype": "__proto__: {a: 1}\n",
    "deep nesting": `${"- ".repeat(1_000)}x\n`,
  };
  it.each(Object.entries(refused))("refuses %s", (_name, text) => {
    expect(() => parseYaml(bytes(text))).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("refuses long YAML, which takes long", () => {
    expect(() => parseYaml(bytes(`a: ${"x".repeat(MAX_YAML_BYTES)}`))).toThrow(
      expect.objectContaining({ code: "limit-exceeded" }),
    );
  });

  it("never repeats the input in its message, which may hold a secret", () => {
    expect(() => parseYaml(bytes("token: s3cret: x\n"))).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("s3cret") }),
    );
  });
});
