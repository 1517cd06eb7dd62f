import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFault } from "../../kernel/outcome/index.ts";
import { matchesLabels, parseLabelSelector } from "./label-selector.ts";
import type { KubeObject } from "./object.ts";
import { createMatcher, matchesFields, parseFieldSelector, requiredValue } from "./selectors.ts";

describe("a label selector matches", () => {
  it.each<[string, Record<string, string>, boolean]>([
    ["", {}, true],
    [" \t", { a: "1" }, true],
    ["a=1", { a: "1" }, true],
    ["a==1", { a: "1" }, true],
    ["a=1", { a: "2" }, false],
    ["a=1", {}, false],
    ["a=", { a: "" }, true],
    ["a=", {}, false],
    ["a=,b=1", { a: "", b: "1" }, true],
    ["a!=1", { a: "2" }, true],
    ["a!=1", { a: "1" }, false],
    ["a!=1", {}, true],
    ["a in (1,2)", { a: "2" }, true],
    ["a in (1,2)", { a: "3" }, false],
    ["a in(1)", { a: "1" }, true],
    ["a in (1,)", { a: "" }, true],
    ["a in (,1)", { a: "" }, true],
    ["a notin (1,2)", { a: "3" }, true],
    ["a notin (1,2)", { a: "1" }, false],
    ["a notin (1,2)", {}, true],
    ["a", { a: "" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["! a", { a: "1" }, false],
    ["in in (notin)", { in: "notin" }, true],
    ["a>1", { a: "2" }, true],
    ["a > 1", { a: "1" }, false],
    ["a<10", { a: "9" }, true],
    ["a<10", { a: "word" }, false],
    ["a<10", {}, false],
    ["a>9223372036854775806", { a: "9223372036854775807" }, true],
    ["a>1", { a: "9223372036854775808" }, false],
    ["a=1,b=2", { a: "1", b: "2" }, true],
    ["a=1,b=2", { a: "1", b: "3" }, false],
    [" a = 1 , !b , c in ( x , y ) ", { a: "1", c: "y" }, true],
    ["kubernetes.io/os=linux", { "kubernetes.io/os": "linux" }, true],
    ["constructor", {}, false],
    ["!toString", {}, true],
  ])("%j on %j: %j", (text, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
  });
});

describe("a label selector is refused when it is", () => {
  it.each([
    ",",
    "a,",
    ",a",
    "a,,b",
    "=1",
    "!",
    "!a=1",
    "a=1=2",
    "a===1",
    "a b",
    "a=1 2",
    "a in",
    "a in 1",
    "a in ()",
    "a in (1",
    "a in (1,(2))",
    "a IN (1)",
    "a=(1)",
    "a>",
    "a>x",
    "a>1.5",
    "a>9223372036854775808",
    "a~1",
    "-a=1",
    "a=-1",
    "a/b/c=1",
    "UPPER.example/a=1",
    "/a",
    "a/",
    "a=b_",
    `${"a".repeat(64)}=1`,
    `a=${"1".repeat(64)}`,
    `${"p".repeat(254)}/a`,
    "a\u00a0=1",
  ])("%j", (text) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("longer than a request can be", () => {
    expect(() => parseLabelSelector("a,".repeat(10_000))).toThrow(expect.objectContaining({ code: "limit-exceeded" }));
  });
});

describe("a field selector", () => {
  it.each<[string, [string, string, string][]]>([
    ["", []],
    ["metadata.name=x", [["metadata.name", "=", "x"]]],
    [
      "a==1,b!=2",
      [
        ["a", "=", "1"],
        ["b", "!=", "2"],
      ],
    ],
    [
      "a=,b!=",
      [
        ["a", "=", ""],
        ["b", "!=", ""],
      ],
    ],
    [
      ",a=1,,b=2,",
      [
        ["a", "=", "1"],
        ["b", "=", "2"],
      ],
    ],
    ["a=x\\,y\\=z\\\\", [["a", "=", "x,y=z\\"]]],
    ["a!b=c", [["a!b", "=", "c"]]],
    ["a=b c\n", [["a", "=", "b c\n"]]],
  ])("%j is read as %j", (text, expected) => {
    const requirements = parseFieldSelector(text);
    expect(requirements.map(({ field, operator, value }) => [field, operator, value])).toEqual(expected);
  });

  it.each(["a", "a!", "a=b=c", "a=\\x", "a=b\\", "a>1", "\\"])("%j is refused", (text) => {
    expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("longer than a request can be is refused", () => {
    expect(() => parseFieldSelector("a=1,".repeat(10_000))).toThrow(
      expect.objectContaining({ code: "limit-exceeded" }),
    );
  });

  it("matches when every field has, or has not, the value", () => {
    const textOf = (field: string) => ({ a: "1" })[field] ?? "";
    const matches = (text: string) => matchesFields(parseFieldSelector(text), textOf);
    expect(["", "a=1", "a!=2", "a=1,b=", "b!=x"].map(matches)).toEqual([true, true, true, true, true]);
    expect(["a=2", "a!=1", "b=x", "a=1,b!="].map(matches)).toEqual([false, false, false, false]);
  });

  it("tells the one name it asks for", () => {
    expect(requiredValue(parseFieldSelector("a!=1,metadata.name=x"), "metadata.name")).toBe("x");
    expect(requiredValue(parseFieldSelector("metadata.name!=x"), "metadata.name")).toBeUndefined();
  });
});

describe("both selectors together", () => {
  it("must hold", () => {
    const object: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels: { tier: "a" } } };
    const matches = (labels: string, fields: string) =>
      createMatcher({
        labels: parseLabelSelector(labels),
        fields: parseFieldSelector(fields),
        fieldOf: ({ metadata }, field) => (field === "metadata.name" ? (metadata.name ?? "") : ""),
      })(object);
    expect(matches("tier=a", "metadata.name=n")).toBe(true);
    expect(matches("tier=b", "metadata.name=n")).toBe(false);
    expect(matches("tier=a", "metadata.name=m")).toBe(false);
  });
});

describe("any text", () => {
  const symbols = fc.constantFrom(
    "a",
    "in",
    "notin",
    "1",
    "=",
    "==",
    "!=",
    "!",
    ",",
    "(",
    ")",
    ">",
    "<",
    " ",
    "\\",
    "/",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(symbols, { maxLength: 20 }).map((parts) => parts.join("")),
  );

  it("is read or refused with a fault, and what is read can be asked", () => {
    fc.assert(fc.property(texts, ask), { numRuns: 2_000 });
  });

  it("survives as an escaped field value", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const escaped = value.replace(/[\\,=]/g, "\\$&");
        expect(parseFieldSelector(`a=${escaped}`)).toEqual([{ field: "a", operator: "=", value }]);
      }),
    );
  });

  it.each([" ", "a", "a,", "(", "\\", "\\,", "!", "a-", "a in (", "a."])(
    "of the greatest length, all %j, is no burden",
    (part) => {
      ask(part.repeat(16_384 / part.length));
    },
  );
});

/** Both parsers on one text; nothing but a fault may come out. */
function ask(text: string): void {
  for (const question of [
    () => matchesLabels(parseLabelSelector(text), { a: "1" }),
    () => matchesFields(parseFieldSelector(text), () => "1"),
  ]) {
    try {
      expect(typeof question()).toBe("boolean");
    } catch (cause) {
      if (!isFault(cause)) throw cause;
    }
  }
}
