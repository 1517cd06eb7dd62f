import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ALL_RULES } from "../../src/controller/index.ts";

const text = await readFile(new URL("../../docs/rules.md", import.meta.url), "utf8");
/** `### id`, then the text up to the next heading. */
const sections = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [id = "", ...rest] = section.split("\n");
      return [id.trim(), rest.join("\n").split(/^##? /m)[0] ?? ""];
    }),
);

describe("docs/rules.md", () => {
  it("has a section for every rule and for no other", () => {
    expect([...sections.keys()].toSorted()).toEqual(ALL_RULES.map(({ id }) => id).toSorted());
  });

  it.each(ALL_RULES.map((rule) => [rule.id, rule] as const))(
    "says of %s its sentence and every reason, no more",
    (id, rule) => {
      const section = sections.get(id) ?? "";
      expect(section.replace(/\s+/g, " ").toLowerCase()).toContain(rule.sentence.toLowerCase());
      const tokens = [...section.matchAll(/^\| `([A-Za-z]+)` \|/gm)].map(([, token]) => token);
      expect(tokens.toSorted()).toEqual(
        [...new Set(rule.reasons)].filter((reason) => !SHARED.has(reason) || OWNERS[reason] === id).toSorted(),
      );
    },
  );

  it("names the stricter rules as such", () => {
    for (const { id, isStricter } of ALL_RULES) {
      expect((sections.get(id) ?? "").includes("**Stricter**"), id).toBe(isStricter === true);
    }
  });
});

/** Reasons that many rules can give, explained once. */
const OWNERS: Readonly<Record<string, string>> = {
  RequestIsUnreadable: "request-parses-and-is-signed",
  RequestIsTooLarge: "request-parses-and-is-signed",
  MachinesAreNotRead: "machine-exists",
  MachineIsUnknown: "machine-exists",
  SeveralMachinesMatch: "machine-exists",
  ClusterIsUnsaid: "machine-exists",
  ProviderIdIsAnother: "machine-exists",
  MachineIsBeingDeleted: "machine-exists",
};
const SHARED = new Set(Object.keys(OWNERS));
