import { describe, expect, it } from "vitest";
import { matchesFields, parseFieldSelector, requiredValue } from "./field-selector.ts";
import { matchesLabels, parseLabelSelector } from "./label-selector.ts";

const one = (field: string, operator: string, value: string) => [{ field, operator, value }];

const FIELDS: Record<string, [string, unknown]> = {
  "nothing requires nothing": ["", []],
  equals: ["a=b", one("a", "=", "b")],
  "double equals is the same": ["a==b", one("a", "=", "b")],
  "not equals": ["a!=b", one("a", "!=", "b")],
  "an empty value": ["a=", one("a", "=", "")],
  "escaped characters": ["a=b\\,c\\=d\\\\e", one("a", "=", "b,c=d\\e")],
  "a bad escape": ["a=\\b", undefined],
  "a bare equals sign in the value": ["a=b=c", undefined],
  "no operator": ["a", undefined],
};

describe("field selectors", () => {
  it.each(Object.entries(FIELDS))("%s", (_name, [text, expected]) => {
    expect(parseFieldSelector(text)).toEqual(expected);
  });

  it("are an AND of their terms", () => {
    const requirements = parseFieldSelector("a=1,b!=2") ?? [];
    expect(matchesFields(requirements, { a: "1", b: "3" })).toBe(true);
    expect(matchesFields(requirements, { a: "1", b: "2" })).toBe(false);
    expect(requiredValue(requirements, "a")).toBe("1");
    expect(requiredValue(requirements, "b")).toBeUndefined();
  });

  it("do not see what objects inherit", () => {
    expect(matchesFields([{ field: "constructor", operator: "=", value: "" }], {})).toBe(true);
  });
});

const LABELS: Record<string, [string, Record<string, string>, boolean]> = {
  equals: ["a=b", { a: "b" }, true],
  "equals another value": ["a=b", { a: "c" }, false],
  "not equals matches an absent label": ["a!=b", {}, true],
  "in a set": ["a in (b, c)", { a: "c" }, true],
  "notin matches an absent label": ["a notin (b)", {}, true],
  notin: ["a notin (b)", { a: "b" }, false],
  exists: ["a", { a: "" }, true],
  "does not exist": ["!a", { a: "" }, false],
  greater: ["a>5", { a: "10" }, true],
  less: ["a<5", { a: "10" }, false],
  "greater needs a number": ["a>5", { a: "x" }, false],
  "several terms": ["a=b,c in (d),!e", { a: "b", c: "d" }, true],
  "a prefixed key": ["example.com/a=b", { "example.com/a": "b" }, true],
  "no inherited labels": ["constructor", {}, false],
};

describe("label selectors", () => {
  it.each(Object.entries(LABELS))("%s", (_name, [text, labels, expected]) => {
    expect(matchesLabels(parseLabelSelector(text) ?? [], labels)).toBe(expected);
  });

  it.each(["a=b=c", "a in b", "a in (b", "a>x", "a b", ",", "a=$", "-a=b"])("refuse %s", (text) => {
    expect(parseLabelSelector(text)).toBeUndefined();
  });
});
