import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDuplicates } from "./duplicate-fields.ts";

describe("keys that stand twice", () => {
  const cases: Record<string, [string, string[]]> = {
    none: ['{"a":{"b":1},"b":[{"a":1},{"a":2}]}', []],
    "at the top": ['{"a":1,"a":2}', ["a"]],
    below: ['{"metadata":{"name":"x","name":"y"}}', ["metadata.name"]],
    "in a list": ['{"s":[{"a":1},{"b":[1,2],"c":{},"b":3}]}', ["s[1].b"]],
    "written otherwise": ['{"a":1,"\\u0061":2}', ["a"]],
    "looking like syntax": ['{"a":"\\"a\\":{,[","b":"a","a" : 1}', ["a"]],
    "three times": ['{"a":1,"a":2,"a":3}', ["a", "a"]],
  };
  it.each(Object.entries(cases))("%s", (_name, [text, expected]) => {
    expect(findDuplicates(text)).toEqual(expected);
  });

  it("are not found in anything a printer of JSON writes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(findDuplicates(JSON.stringify(value, null, indent))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("are found when one is added", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
        const [key = ""] = Object.keys(object);
        const text = JSON.stringify(object);
        expect(findDuplicates(`${text.slice(0, -1)},${JSON.stringify(key)}:0}`)).toEqual([key]);
      }),
    );
  });
});
