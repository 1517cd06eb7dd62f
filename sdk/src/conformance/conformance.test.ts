// The suite against a provider that is right (a machine's own Ed25519 key, enrolled by its operator) and against providers that are
// each wrong in one way.
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type Conformance,
  conformanceChecks,
  evidenceProblem,
  type NodeProvider,
  type Question,
  runConformance,
  type Verifier,
} from "../index.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const OWN_NAME = "conformance-1.example";

function aProvider(overrides: Partial<NodeProvider> = {}): NodeProvider {
  return {
    name: "machine",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    canRenew: true,
    canServe: true,
    providerId: async ({ nodeName }) => `machine:///${nodeName}`,
    attest: async ({ digest, providerId }) => ({
      providerId,
      signature: sign(null, digest, privateKey).toString("base64"),
    }),
    ...overrides,
  };
}

function judge({ request, evidence, pins, names }: Question) {
  const { providerId, signature, ...unknown } = evidence;
  if (providerId !== request.providerId || Object.keys(unknown).length > 0) return refused("MachineMismatch");
  if (typeof signature !== "string" || !isSigned(request.digest, signature)) return refused("SignatureInvalid");
  if (pins !== undefined && pins["key"] !== "k") return refused("IdentityConflict");
  if (names.some((name) => name !== OWN_NAME)) return refused("SanNotAllowed");
  return { kind: "Attested", level: "Key", pins: { key: "k" } } as const;
}

function aVerifier(overrides: Partial<Verifier> = {}): Verifier {
  return {
    name: "machine",
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
const isSigned = (digest: Uint8Array, signature: string) =>
  verify(null, digest, publicKey, Buffer.from(signature, "base64"));
const refused = (reason: string) => ({ kind: "Refused", reason, message: "no" }) as const;
const anInput = (provider: Partial<NodeProvider> = {}, verifier: Partial<Verifier> = {}): Conformance => ({
  provider: aProvider(provider),
  verifier: aVerifier(verifier),
  servingNames: [OWN_NAME],
});

describe("the conformance suite", () => {
  for (const check of conformanceChecks(anInput())) {
    it(`holds for a right provider: ${check.name}`, () => check.run());
  }

  const wrong: Readonly<Record<string, [Partial<NodeProvider>, Partial<Verifier>, RegExp]>> = {
    "neither nonce nor time limit": [
      { freshness: "none" as never },
      { freshness: "none" as never },
      /neither a nonce nor a time limit/,
    ],
    "a time limit without a number": [
      { freshness: "time-limited" },
      { freshness: "time-limited" },
      /a proof must end within fifteen minutes/,
    ],
    "a proof that lives for an hour": [
      { freshness: "time-limited" },
      { freshness: "time-limited", maxProofAgeMs: 3_600_000 },
      /fifteen minutes/,
    ],
    "a time limit that is not looked at": [
      { freshness: "time-limited" },
      { freshness: "time-limited", maxProofAgeMs: 60_000 },
      /a proof is over after its time: it was Attested/,
    ],
    "a proof of tomorrow": [
      { freshness: "time-limited" },
      { freshness: "time-limited", maxProofAgeMs: 60_000 },
      /a proof from the future is refused: it was Attested/,
    ],
    "ends that disagree on what protects them": [{ freshness: "time-limited" }, {}, /disagree/],
    "two names": [{}, { name: "other" }, /differ/],
    "the null provider's name": [{ name: "null" }, { name: "null" }, /name null is taken/],
    "a name in capitals": [{ name: "Machine" }, { name: "Machine" }, /must match/],
    "no common version": [{ versions: [2] }, {}, /no version/],
    "version zero": [{ versions: [0] }, { versions: [0] }, /numbers from 1 to 999/],
    "another contract": [{ contractVersion: 2 as never }, {}, /another contract/],
    "a gather without limit": [{}, { gatherLimitMs: 60_000 }, /limit is 60000 ms/],
    "a verifier that believes everything": [
      {},
      { verifyClient: () => ({ kind: "Attested", level: "Key", pins: {} }) },
      /evidence for another request is refused: it was Attested/,
    ],
    "a verifier that pins nothing": [
      {},
      { verifyClient: (question) => ({ ...judge(question), ...("pins" in judge(question) ? { pins: {} } : {}) }) },
      /nothing is pinned/,
    ],
    "a verifier that forgets its pins": [
      {},
      { verifyClient: (question) => judge({ ...question, pins: undefined }) },
      /another machine's pins are refused: it was Attested/,
    ],
    "a verifier that does not look at the provider ID": [
      {},
      {
        verifyClient: (question) =>
          judge({
            ...question,
            request: { ...question.request, providerId: String(question.evidence["providerId"]) },
          }),
      },
      /another machine's provider ID is refused: it was Attested/,
    ],
    "a part that nothing vouches for": [
      { attest: async (request, options) => ({ ...(await aProvider().attest(request, options)), zone: "a" }) },
      { verifyClient: ({ evidence: { zone: _, ...evidence }, ...question }) => judge({ ...question, evidence }) },
      /with zone altered: it was Attested/,
    ],
    "a part that nobody knows": [
      {},
      { verifyClient: ({ evidence: { unexpected: _, ...evidence }, ...question }) => judge({ ...question, evidence }) },
      /a part that nobody knows is refused: it was Attested/,
    ],
    "a verifier that throws at junk": [
      {},
      {
        verifyClient: (question) => {
          (question.evidence["signature"] as string | undefined)?.trim();
          return judge(question);
        },
      },
      /junk is refused, and does not throw: with signature as 0/,
    ],
    "a judge that asks the clock": [
      {},
      { verifyClient: (question) => (Date.now() > 0 ? judge(question) : refused("TooEarly")) },
      /asked the clock/,
    ],
    "a judge that changes its question": [
      {},
      {
        verifyClient: (question) => {
          Object.assign(question, { names: ["changed"] });
          return judge({ ...question, names: [] });
        },
      },
      /changed its question/,
    ],
    "a reason that is a sentence": [{}, { verifyClient: () => refused("it is wrong") }, /must match/],
    "a provider ID that changes": [
      { providerId: async () => `x:///${process.hrtime.bigint()}` },
      {},
      /changes between two calls/,
    ],
    "evidence that cannot travel": [{ attest: async () => ({ name: "nœud" }) }, {}, /printable ASCII/],
    "evidence that is too large": [{ attest: async () => ({ name: "a".repeat(40_000) }) }, {}, /at most/],
    "judges that ask": [{}, { verifyClient: (async () => refused("X")) as never }, /asynchronous/],
    "serving under any name": [
      {},
      { verifyServing: (question) => judge({ ...question, names: [] }) },
      /not the machine's is refused for serving: it was Attested/,
    ],
    "no serving under its own name": [{}, { verifyServing: () => refused("Never") }, /own names are allowed/],
  };
  it.each(Object.entries(wrong))("finds %s", async (_, [provider, verifier, expected]) => {
    const failures = await runConformance(anInput(provider, verifier));
    expect(failures.join("\n")).toMatch(expected);
  });

  it("finds a gather without end", async () => {
    const gather = () => new Promise(() => undefined);
    const checks = conformanceChecks(anInput({}, { gatherLimitMs: 30, gather }));
    const check = checks.find(({ name }) => name.startsWith("gathering ends"));
    await expect(check?.run()).rejects.toThrow("went on after its signal");
  });

  it("gives the clock back", async () => {
    await runConformance(anInput());
    expect(Date.now()).toBeGreaterThan(0);
    expect(Math.random()).toBeLessThan(1);
  });

  it("knows what can travel as evidence", () => {
    expect(evidenceProblem({ a: ["x", 1, true, { b: 2 }] })).toBeUndefined();
    expect(evidenceProblem({ a: 1.5 })).toContain("integer");
    expect(evidenceProblem({ a: null as never })).toContain("null");
    expect(evidenceProblem({ a: { b: { c: { d: { e: {} } } } } })).toContain("levels");
  });
});
