import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const guide = readFileSync(new URL("docs/guides/attestation.md", ROOT), "utf8");

/** The tokens with which the rules of attestation refuse or wait. */
function tokensIn(folder: string): readonly string[] {
  const files = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  return sources.flatMap((file) =>
    [...readFileSync(new URL(`${folder}${file}`, ROOT), "utf8").matchAll(/\b(?:refuse|notYet)\(\s*"([A-Za-z]+)"/g)].map(
      ([, token = ""]) => token,
    ),
  );
}

describe("docs/guides/attestation.md", () => {
  const tokens = [...new Set([...tokensIn("src/attestation/"), ...tokensIn("src/controller/identities/")])];

  it("finds the rules' reasons", () => expect(tokens.length).toBeGreaterThan(40));

  it.each(tokens)("says what %s means", (token) => expect(guide).toContain(`\`${token}\``));
});
