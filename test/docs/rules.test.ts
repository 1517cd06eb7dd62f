import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { INSECURE_RULES } from "../../src/attestation/insecure/judge.ts";
import {
  INSTALLED_HELLO_RULES,
  INSTALLED_PROOF_RULES,
  INSTALLED_SINGLE_RULES,
} from "../../src/attestation/sdk/judge.ts";
import {
  TPM_BEACON_RULES,
  TPM_HELLO_RULES,
  TPM_OWNED_RULES,
  TPM_PROOF_RULES,
} from "../../src/attestation/tpm/judge.ts";
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

/** The chains of requests with evidence, by their letter on the page. */
const EVIDENCE_CHAINS: Readonly<Record<string, readonly { readonly id: string; readonly sentence: string }[]>> = {
  H: TPM_HELLO_RULES,
  P: TPM_PROOF_RULES,
  U: TPM_OWNED_RULES,
  B: TPM_BEACON_RULES,
  I: INSECURE_RULES,
  h: INSTALLED_HELLO_RULES,
  p: INSTALLED_PROOF_RULES,
  s: INSTALLED_SINGLE_RULES,
};

describe("docs/rules.md, about evidence", () => {
  const section = text.split("## About evidence\n")[1] ?? "";
  const lines = section.split(/^- /m).slice(1);
  const rules = new Map(
    Object.values(EVIDENCE_CHAINS).flatMap((chain) => chain.map((rule) => [rule.id, rule] as const)),
  );

  it("has every rule of every chain once, with its sentence and the chains in which it stands", () => {
    const expected = [...rules.values()].map(({ id, sentence }) => {
      const letters = Object.keys(EVIDENCE_CHAINS).filter((key) => EVIDENCE_CHAINS[key]?.some((one) => one.id === id));
      return `\`${id}\` (${letters.join("")}): ${sentence}`;
    });
    expect(lines.map((line) => line.replace(/\s+/g, " ").trim()).toSorted()).toEqual(expected.toSorted());
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
