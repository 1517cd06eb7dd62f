// The suite against a provider that is right (a machine's own Ed25519 key, enrolled by its operator) and against providers that are
// each wrong in one way.
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { conformanceChecks, evidenceProblem, type NodeProvider, runConformance, type Verifier } from "./index.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");

function aProvider(overrides: Partial<NodeProvider> = {}): NodeProvider {
  return {
    name: "machine-key",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    canRenew: true,
    canServe: true,
    providerId: async ({ nodeName }) => `machine-key:///${nodeName}`,
    attest: async ({ digest, providerId }) => ({
      providerId,
      signature: sign(null, digest, privateKey).toString("base64"),
    }),
    ...overrides,
  };
}

function aVerifier(overrides: Partial<Verifier> = {}): Verifier {
  const judge: Verifier["verifyClient"] = ({ request, evidence, pins, names }) => {
    const signature = Buffer.from(String(evidence["signature"] ?? ""), "base64");
    if (evidence["providerId"] !== request.providerId) return refused("MachineMismatch");
    if (!verify(null, request.digest, publicKey, signature)) return refused("SignatureInvalid");
    if (pins !== undefined && pins["key"] !== "k") return refused("IdentityConflict");
    if (names.length > 0) return refused("SanNotAllowed");
    return { kind: "Attested", level: "Key", pins: { key: "k" } };
  };
  return {
    name: "machine-key",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    gatherLimitMs: 1_000,
    gather: async () => undefined,
    verifyClient: judge,
    verifyServing: judge,
    ...overrides,
  };
}
const refused = (reason: string) => ({ kind: "Refused", reason, message: "no" }) as const;

describe("the conformance suite", () => {
  for (const check of conformanceChecks({ provider: aProvider(), verifier: aVerifier() })) {
    it(`holds for a right provider: ${check.name}`, () => check.run());
  }

  const wrong: Readonly<Record<string, [Partial<NodeProvider>, Partial<Verifier>, RegExp]>> = {
    "neither nonce nor time limit": [
      { freshness: "none" as never },
      { freshness: "none" as never },
      /neither a nonce nor a time limit/,
    ],
    "a proof that lives for an hour": [
      { freshness: "time-limited" },
      { freshness: "time-limited", maxProofAgeMs: 3_600_000 },
      /fifteen minutes/,
    ],
    "a time limit that is not looked at": [
      { freshness: "time-limited" },
      { freshness: "time-limited", maxProofAgeMs: 60_000 },
      /a proof is over after its time/,
    ],
    "two names": [{}, { name: "other" }, /differ/],
    "no common version": [{ versions: [2] }, {}, /no version/],
    "a verifier that believes everything": [
      {},
      { verifyClient: () => ({ kind: "Attested", level: "Key", pins: {} }) },
      /evidence for another request is refused: it was Attested/,
    ],
    "a provider ID that changes": [
      { providerId: async () => `x:///${process.hrtime.bigint()}` },
      {},
      /changes between two calls/,
    ],
    "evidence that cannot travel": [{ attest: async () => ({ name: "nœud" }) }, {}, /printable ASCII/],
    "judges that ask": [{}, { verifyClient: (async () => refused("X")) as never }, /asynchronous/],
    "gathering without end": [
      {},
      { gatherLimitMs: 30, gather: () => new Promise(() => undefined) },
      /went on after its signal/,
    ],
  };
  it.each(Object.entries(wrong))("finds %s", async (_, [provider, verifier, expected]) => {
    const input = { provider: aProvider(provider), verifier: aVerifier(verifier) };
    const checks = conformanceChecks(input);
    const hangs = verifier.gatherLimitMs === 30;
    const failures = hangs
      ? [
          await checks
            .find(({ name }) => name.startsWith("gathering ends"))
            ?.run()
            .catch(String),
        ]
      : await runConformance(input);
    expect(failures.join("\n")).toMatch(expected);
  });

  it("knows what can travel as evidence", () => {
    expect(evidenceProblem({ a: ["x", 1, true, { b: 2 }] })).toBeUndefined();
    expect(evidenceProblem({ a: 1.5 })).toContain("integer");
    expect(evidenceProblem({ a: null as never })).toContain("null");
    expect(evidenceProblem({ a: { b: { c: { d: { e: {} } } } } })).toContain("levels");
  });
});
