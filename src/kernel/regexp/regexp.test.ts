import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRegexp, createMatchBudget, matches } from "./index.ts";

function isMatch(pattern: string, text: string): boolean {
  return matches(compileRegexp(pattern), text, createMatchBudget());
}

describe("a pattern of a schema", () => {
  const LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
  const examples: Record<string, [string, string, boolean]> = {
    "takes a DNS label": [LABEL, "node-1", true],
    "refuses a label with a dash at its end": [LABEL, "node-", false],
    "refuses an empty label": [LABEL, "", false],
    "looks anywhere in the text without anchors": ["b+", "aabbcc", true],
    "knows alternatives": ["^(a|b|)$", "b", true],
    "knows an empty alternative": ["^(a|b|)$", "", true],
    "counts exactly": ["^a{3}$", "aaa", true],
    "counts too many": ["^a{2,3}$", "aaaa", false],
    "counts at least": ["^a{2,}$", "aaaaaa", true],
    "takes a brace that counts nothing as itself": ["^{x}$", "{x}", true],
    "knows digits": ["^\\d+$", "0123", true],
    "knows that digits are ASCII": ["^\\d$", "٣", false],
    "knows Unicode letters": ["^\\p{L}+$", "Grüße", true],
    "knows scripts": ["^\\p{Greek}$", "α", true],
    "ignores case when told": ["(?i)^ABC$", "aBc", true],
    "ignores case inside a group only": ["^(?i:a)b$", "AB", false],
    "takes a newline with a dot only when told": ["^a.b$", "a\nb", false],
    "takes a newline with (?s)": ["(?s)^a.b$", "a\nb", true],
    "ends at a line with (?m)": ["(?m)^a$", "b\na\nc", true],
    "does not end before a newline": ["^a$", "a\n", false],
    "knows word boundaries": ["\\bfoo\\b", "a foo b", true],
    "knows word boundaries that are not there": ["\\bfoo\\b", "afoo", false],
    "knows POSIX classes": ["^[[:alpha:]]+$", "abc", true],
    "knows a class turned around": ["^[^/]+$", "a/b", false],
    "takes a bracket at the beginning of a class as itself": ["^[]a]+$", "]a", true],
    quotes: ["^\\Qa.b\\E$", "a.b", true],
    "quotes so that a dot is a dot": ["^\\Qa.b\\E$", "axb", false],
    "reads hexadecimal": ["^\\x41\\x{1F600}$", "A😀", true],
    "names groups": ["^(?P<first>a)(?<second>b)$", "ab", true],
    "counts characters, not code units": ["^.$", "😀", true],
  };
  for (const [name, [pattern, text, expected]] of Object.entries(examples)) {
    it(name, () => expect(isMatch(pattern, text)).toBe(expected));
  }

  const refused: Record<string, [string, string]> = {
    "a lookahead": ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    "a backreference": ["(a)\\1", "invalid escape sequence: `\\1`"],
    "an open group": ["(a", "missing closing ): `(a`"],
    "a closed group that was not open": ["a)", "unexpected ): `a)`"],
    "an open class": ["[a", "missing closing ]: `[a`"],
    "a class backwards": ["[z-a]", "invalid character class range: `z-a`"],
    "a repetition of nothing": ["*a", "missing argument to repetition operator: `*`"],
    "a repetition of a repetition": ["a**", "invalid nested repetition operator"],
    "a repetition a thousand times and more": ["a{1001}", "invalid repeat count: `{1001}`"],
    "an unknown escape": ["\\y", "invalid escape sequence: `\\y`"],
    "an unknown POSIX class": ["[[:constructor:]]", "invalid character class range: `[:constructor:]`"],
    "an unknown property": ["\\p{Klingon}", "invalid character class range: `\\p{Klingon}`"],
    "a pattern that grows beyond measure": ["((a{100}){100}){100}", "expression too large"],
    "a pattern that nests beyond measure": ["(".repeat(500), "expression nests too deeply"],
  };
  for (const [name, [pattern, message]] of Object.entries(refused)) {
    it(`is refused: ${name}`, () => expect(() => compileRegexp(pattern)).toThrow(message));
  }

  it("says what JavaScript says where both have the same syntax", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "(?:a|b)", "(ab)", "^", "$", "\\b");
    const count = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{2,}");
    const part = fc.tuple(atom, count).map(([one, many]) => (/^(?:\^|\$|\\b)$/.test(one) ? one : one + many));
    const sequence = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(""));
    const pattern = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|"));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", "-", "\n"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (one, other) => {
        expect(isMatch(one, other)).toBe(new RegExp(one, "u").test(other));
      }),
      { numRuns: 2_000 },
    );
  });

  it("does not think longer about a text that almost matches", () => {
    // Exponential for a backtracking engine.
    expect(isMatch("^(a+)+$", `${"a".repeat(5_000)}!`)).toBe(false);
  });

  it("gives up when the budget of the object is spent", () => {
    const budget = { steps: 100 };
    expect(matches(compileRegexp("^a*$"), "a".repeat(1_000), budget)).toBe(false);
    expect(budget.steps).toBeLessThan(0);
  });
});
