// docs/protocols/attestation.md is the specification that sources cite by heading: its headings, its reasons and its
// rules are held to the code, both ways.

import { existsSync, readdirSync, readFileSync } from "node:fs";
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

const ROOT = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/protocols/attestation.md", ROOT), "utf8");

const HEADINGS = [
  "Messages",
  "The hello",
  "The challenge",
  "The proof",
  "Renewal by beacon",
  "Pins",
  "The signer's gate",
  "Requests without evidence",
  "Limits",
  "Reasons",
  "Threat model",
  "Vectors",
];

/**
 * Where attestation is judged, pinned and gated. A folder that a refactoring removes is left out; the count below
 * notices.
 */
const ATTESTATION = [
  "src/attestation/",
  "src/controller/identities/",
  "src/controller/judging/",
  "src/controller/signing/",
  "src/node/certificates/attested/",
];
/** Rules about requests without evidence, and their judge: docs/rules.md has their reasons. */
const PLAIN_RULES = /^(?:rules\/|judge\.ts$)/;

/** Where a reason of the page may come from: the examples have reasons of their own. */
const ANYWHERE = ["src/", "examples/"];

function sourcesIn(folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => existsSync(new URL(folder, ROOT)))
    .flatMap((folder) =>
      readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("node_modules"))
        .filter((file) => folder !== "src/controller/judging/" || !PLAIN_RULES.test(file))
        .map((file) => readFileSync(new URL(`${folder}${file}`, ROOT), "utf8")),
    );
}

/**
 * A reason is the first word of a finding, the field of a refusal, a constant, or the first word of a fault's message.
 */
const GIVEN = [
  /\b(?:refuse|notYet|notMine|refused|failed|attempt)\(\s*"([A-Z][A-Za-z]+)"/g,
  /\breason: "([A-Z][A-Za-z]+)"/g,
  /\bconst [A-Z_]+ = "([A-Z][a-z]+(?:[A-Z][a-z]+)+)";/g,
  /["`]([A-Z][a-z]+(?:[A-Z][a-z]+)+): /g,
];

function reasonsIn(folders: readonly string[]): ReadonlySet<string> {
  const found = sourcesIn(folders).flatMap((text) =>
    GIVEN.flatMap((pattern) => [...text.matchAll(pattern)].map(([, reason = ""]) => reason)),
  );
  return new Set(found);
}

function sectionOf(heading: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? "";
}

const WORD = /`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`/g;

describe("docs/protocols/attestation.md", () => {
  it("has the headings that others cite, in their order", () => {
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(HEADINGS);
  });

  const reasons = sectionOf("Reasons");
  const rows = [...reasons.matchAll(/^\| `([A-Za-z]+)` \| .* \| ([a-z–]+) \|$/gm)];
  const listed = new Set([...reasons.matchAll(WORD)].map(([, word = ""]) => word));
  const given = reasonsIn(ATTESTATION);

  it("finds the reasons of attestation in the sources", () => expect(given.size).toBeGreaterThan(85));

  it("lists every reason that attestation gives", () => {
    expect([...given].filter((reason) => !listed.has(reason)).toSorted()).toEqual([]);
  });

  it("lists no reason that the code does not give, and each once", () => {
    const anywhere = reasonsIn(ANYWHERE);
    const names = rows.map(([, reason = ""]) => reason);
    expect(names.filter((reason) => !anywhere.has(reason))).toEqual([]);
    expect(names).toEqual([...new Set(names)]);
  });

  it("says of each what becomes of it, in the words that it explains", () => {
    const words = [...reasons.matchAll(/^\| ([a-z]+) \| /gm)].map(([, word]) => word).filter((word) => word !== "then");
    const used = new Set(rows.map(([, , then = ""]) => then));
    expect([...used].filter((word) => !words.includes(word) && word !== "–")).toEqual([]);
  });

  const rules = [
    ...INSECURE_RULES,
    ...TPM_HELLO_RULES,
    ...TPM_PROOF_RULES,
    ...TPM_OWNED_RULES,
    ...TPM_BEACON_RULES,
    ...INSTALLED_HELLO_RULES,
    ...INSTALLED_PROOF_RULES,
    ...INSTALLED_SINGLE_RULES,
  ].map(({ id }) => id);

  it.each([...new Set(rules)])("names the rule %s", (id) => expect(page).toContain(`\`${id}\``));

  it("names no rule that is not in the sources", () => {
    const ids = new Set(
      sourcesIn(["src/"]).flatMap((text) => [...text.matchAll(/\bid: "([a-z-]+)"/g)].map(([, id]) => id)),
    );
    const named = [...page.matchAll(/^\| `([a-z]+(?:-[a-z]+)+)`/gm)].map(([, id]) => id);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });
});
