import { describe, expect, it } from "vitest";
import type { Json } from "../../kernel/json/index.ts";
import { encodeYaml } from "./yaml.ts";

describe("encodeYaml", () => {
  const cases: Record<string, [Json, string]> = {
    "an object by its sorted keys": [{ b: 1, a: { d: true, c: null } }, "a:\n  c: null\n  d: true\nb: 1\n"],
    "a list as far in as its key": [{ a: ["x", { b: 1, c: 2 }] }, "a:\n- x\n- b: 1\n  c: 2\n"],
    "a list in a list": [{ a: [["x"], []] }, "a:\n- - x\n- []\n"],
    "what is empty": [{ a: {}, b: [], c: "" }, 'a: {}\nb: []\nc: ""\n'],
    "a scalar": ["x", "x\n"],
    "names and paths plainly": [{ "a.b/c": "system/x-1" }, "a.b/c: system/x-1\n"],
    "a string that looks like something else in quotes": [
      ["true", "No", "1", "1e3", "~", "- a", "a: b", "2026-01-01"],
      "",
    ],
    "several lines in one": [{ a: "x\ny\n" }, 'a: "x\\ny\\n"\n'],
  };
  it.each(Object.entries(cases))("writes %s", (_name, [value, text]) => {
    const quoted = Array.isArray(value) ? value.map((one) => `- ${JSON.stringify(one)}\n`).join("") : text;
    expect(encodeYaml(value)).toBe(quoted);
  });
});
