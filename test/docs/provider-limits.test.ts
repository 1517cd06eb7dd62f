// The limits of the provider contract stand in sdk/src/limits.ts. What the wire bounds besides is the same there, and
// both pages that an author reads name them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../sdk/src/limits.ts";
import { isProviderId, isProviderName } from "../../src/attestation/evidence/index.ts";
import { MAX_DATA_OCTETS, MAX_JSON_DEPTH, MAX_PROVIDER_ID_CHARACTERS } from "../../src/attestation/evidence/limits.ts";

const pageOf = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), "utf8");

describe("the limits of the provider contract", () => {
  it.each(["acme", "a", "a-1", "A", "1a", "", "a".repeat(32), "a".repeat(33), "a_b"])(
    "know the name %j as the wire does",
    (name) => expect(new RegExp(LIMITS.name).test(name)).toBe(isProviderName(name)),
  );

  it.each(["x", "x y", " x", "x ", "", "é", "x".repeat(MAX_PROVIDER_ID_CHARACTERS), "x".repeat(513)])(
    "know the provider ID %j as the wire does",
    (id) => expect(new RegExp(LIMITS.providerId).test(id)).toBe(isProviderId(id)),
  );

  it("leave room for the envelope around the evidence", () => {
    expect(LIMITS.maxEvidenceLevels).toBe(MAX_JSON_DEPTH - 1);
    expect(LIMITS.maxEvidenceCharacters).toBeLessThanOrEqual(MAX_DATA_OCTETS - 4_096);
  });

  const shown = [
    `${LIMITS.maxPins} pins of ${LIMITS.maxPinCharacters} characters`,
    `gather ${LIMITS.maxGatherMs / 1_000} s`,
    `proof age ${LIMITS.maxProofAgeMs / 60_000} min`,
    `wait ${LIMITS.maxWaitMs / 3_600_000} h`,
  ].join(", ");
  it.each(["protocols/attestation.md", "guides/providers.md"])("stand in docs/%s", (path) =>
    expect(pageOf(path)).toContain(shown),
  );
});
