// The suite against a correct provider (a machine's own Ed25519 key, enrolled by its operator) and against providers
// that are each wrong in one way.
import { generateKeyPairSync, sign, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  answerProblem,
  bytesOf,
  type Conformance,
  conformanceChecks,
  type EvidenceRequest,
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
  const bytes = bytesOf(signature);
  if (bytes === undefined || !isSigned(request.digest, bytes)) return refused("SignatureInvalid");
  if (pins !== undefined && pins["key"] !== "k") return refused("IdentityConflict");
  if (names.some((name) => name !== OWN_NAME)) return refused("SanNotAllowed");
  return { kind: "Attested", level: "Key", pins: { key: "k" } } as const;
}

function judgeMachine(question: Question) {
  if (question.machine === undefined) throw new TypeError("there is always a Machine");
  return judge(question);
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
const isSigned = (digest: Uint8Array, signature: Uint8Array) => verify(null, digest, publicKey, signature);
const signed = (digest: Uint8Array) => ({ signature: sign(null, digest, privateKey).toString("base64") });
/** Both ends agree on what is signed, and it is too little. */
const signing = (part: (request: EvidenceRequest) => Uint8Array): [Partial<NodeProvider>, Partial<Verifier>] => {
  const narrowed = (question: Question) =>
    judge({ ...question, request: { ...question.request, digest: part(question.request) } });
  return [
    { attest: async (request) => ({ providerId: request.providerId, ...signed(part(request)) }) },
    { verifyClient: narrowed, verifyServing: narrowed },
  ];
};
const answering = (answer: unknown): Partial<Verifier> => ({
  verifyClient: (question) => (judge(question).kind === "Attested" ? (answer as never) : judge(question)),
});
const hangs = () => new Promise<never>(() => undefined);
const refused = (reason: string) => ({ kind: "Refused", reason, message: "no" }) as const;
const anInput = (provider: Partial<NodeProvider> = {}, verifier: Partial<Verifier> = {}): Conformance => ({
  provider: aProvider(provider),
  verifier: aVerifier(verifier),
  servingNames: [OWN_NAME],
  callLimitMs: 100,
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
      { verifyClient: () => ({ kind: "Attested", level: "Key", pins: { key: "k" } }) },
      /evidence for another request is refused: with join, client, another digest: it was Attested/,
    ],
    "evidence that covers nothing of the request": [
      ...signing(() => new Uint8Array(32)),
      /evidence for another request is refused: with join, client, another digest: it was Attested/,
    ],
    "evidence that covers half of the request": [
      ...signing(({ digest }) => digest.slice(0, 16)),
      /another request is refused: with join, client, octet 31 of the digest altered: it was Attested/,
    ],
    "renewals that cover nothing": [
      ...signing(({ digest, intent }) => (intent === "renew" ? new Uint8Array(32) : digest)),
      /another request is refused: with renew, client, another digest: it was Attested/,
    ],
    "serving requests that cover nothing": [
      ...signing(({ digest, purpose }) => (purpose === "serving" ? new Uint8Array(32) : digest)),
      /another request is refused: with renew, serving, another digest: it was Attested/,
    ],
    "a verifier that pins nothing": [
      {},
      { verifyClient: (question) => ({ ...judge(question), ...("pins" in judge(question) ? { pins: {} } : {}) }) },
      /nothing is pinned/,
    ],
    "a verifier that forgets its pins": [
      {},
      { verifyClient: (question) => judge({ ...question, pins: undefined }) },
      /another machine's pins are refused: with pin key: it was Attested/,
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
    "a part that may be left out": [
      { attest: async (request, options) => ({ ...(await aProvider().attest(request, options)), zone: "a" }) },
      {
        verifyClient: ({ evidence: { zone = "a", ...evidence }, ...question }) =>
          zone === "a" ? judge({ ...question, evidence }) : refused("ZoneUnknown"),
      },
      /without one of its parts is refused: with zone left out: it was Attested/,
    ],
    "evidence in any spelling": [
      {},
      {
        verifyClient: (question) => {
          const { signature, ...rest } = question.evidence;
          const text = typeof signature === "string" ? Buffer.from(signature, "base64").toString("base64") : 0;
          return judge({ ...question, evidence: signature === undefined ? rest : { ...rest, signature: text } });
        },
      },
      /another spelling is refused: with signature with a blank behind it: it was Attested/,
    ],
    "a verifier that throws": [
      {},
      {
        verifyClient: () => {
          throw new RangeError("oops");
        },
      },
      /believes its own provider, twice the same: verifyClient threw: oops/,
    ],
    "a verifier that needs a Machine": [
      {},
      {
        verifyClient: (question) =>
          question.machine?.name.length === 0 ? refused("Nameless") : judgeMachine(question),
      },
      /a cluster without Machines gets an answer: verifyClient threw/,
    ],
    "a verifier that throws at a hello": [
      { hello: async () => ({ key: "k" }) },
      {
        verifyClient: (question) => {
          const { key } = question.hello ?? {};
          (key as string).trim();
          return judge(question);
        },
      },
      /junk in a hello gets an answer, and does not throw: with a hello with nothing: verifyClient threw/,
    ],
    "a verifier that names another Machine": [
      {},
      { machineName: () => "another" },
      /the Machine that the evidence names is the one in question.*: machineName said "another"/,
    ],
    "a machineName that throws at junk": [
      {},
      { machineName: ({ evidence }) => (evidence["providerId"] as string).slice(99) || undefined },
      /junk is refused, and does not throw: machineName threw/,
    ],
    "an older version that is not believed": [
      { versions: [2, 1] },
      {
        versions: [1, 2],
        verifyClient: (question) => (question.request.protocol.endsWith("/1") ? refused("TooOld") : judge(question)),
      },
      /in every version that both speak: with machine\/1: it was Refused TooOld/,
    ],
    "a provider ID that is no text": [{ providerId: async () => 7 as never }, {}, /1 to 512 printable characters/],
    "a provider ID with blanks around it": [{ providerId: async () => "x:///1 " }, {}, /1 to 512 printable characters/],
    "a provider that throws": [
      {
        attest: async () => {
          throw new RangeError("no key");
        },
      },
      {},
      /evidence can travel: attest threw: no key/,
    ],
    "a provider that hangs": [{ providerId: hangs }, {}, /the provider ID is .*: providerId took longer than 100 ms/],
    "a provider that minds no signal": [
      { attest: async (request, options) => (options.signal.aborted ? hangs() : aProvider().attest(request, options)) },
      {},
      /the provider ends when it is told to: attest was told to stop and took longer/,
    ],
    "evidence that is none": [{ attest: async () => undefined as never }, {}, /attest must return an object/],
    "an answer that is none": [{}, answering(undefined), /an answer must be an object, it is undefined/],
    "an answer of no kind": [{}, answering({ kind: "Yes" }), /must be Attested, Refused or Waiting, it is Yes/],
    "a level of several words": [
      {},
      answering({ kind: "Attested", level: "a good key", pins: { key: "k" } }),
      /level a good key must match/,
    ],
    "a pin that is a number": [
      {},
      answering({ kind: "Attested", level: "Key", pins: { key: 7 } }),
      /pin key must be 1 to 512 printable characters/,
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
    "a judge that makes the date of today": [
      {},
      { verifyClient: (question) => (new Date().getFullYear() > 0 ? judge(question) : refused("TooEarly")) },
      /asked the clock/,
    ],
    "a judge that throws dice": [
      {},
      { verifyClient: (question) => (crypto.randomUUID().length === 0 ? refused("Unlucky") : judge(question)) },
      /used randomness/,
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
    "serving under any name, though its machines do not ask for it": [
      { canServe: false },
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
    const failures = await runConformance(anInput({}, { gatherLimitMs: 30, gather: hangs }));
    expect(failures).toContain("gathering ends when it is told to: gather was told to stop and took longer than 30 ms");
    expect(failures).toContain("the verifier believes its own provider, twice the same: gather took longer than 30 ms");
  });

  it("finds a gather that minds its signal only before it begins", async () => {
    const gather: Verifier["gather"] = async (_, { signal }) => (signal.aborted ? undefined : await hangs());
    const failures = await runConformance(anInput({}, { gatherLimitMs: 30, gather }));
    expect(failures.join("\n")).toMatch(/gathering ends when it is told to: gather was told to stop and took longer/);
  });

  it("lets a judge reckon with times", async () => {
    const verifyClient = (question: Question) =>
      new Date(question.nowMs).getTime() === question.nowMs &&
      Date.parse("2026-01-01") > 0 &&
      new Date(0) instanceof Date
        ? judge(question)
        : refused("TooEarly");
    expect(await runConformance(anInput({}, { verifyClient }))).toEqual([]);
  });

  it("gives the clock back", async () => {
    await runConformance(anInput());
    expect(Date.now()).toBeGreaterThan(0);
    expect(new Date().getFullYear()).toBeGreaterThan(0);
    expect(performance.now()).toBeGreaterThan(0);
    expect(Math.random()).toBeLessThan(1);
    expect(crypto.randomUUID()).toHaveLength(36);
  });

  it("knows what can travel as evidence", () => {
    expect(evidenceProblem({ a: ["x", 1, true, { b: 2 }] })).toBeUndefined();
    expect(evidenceProblem({ a: 1.5 })).toContain("integer");
    expect(evidenceProblem({ a: null as never })).toContain("null");
    expect(evidenceProblem({ a: { b: { c: { d: { e: {} } } } } })).toContain("levels");
  });

  it("knows what can be an answer", () => {
    const attested = { kind: "Attested", level: "Key", pins: { key: "k" } };
    expect(answerProblem(attested)).toBeUndefined();
    expect(answerProblem(refused("Because"))).toBeUndefined();
    expect(answerProblem({ ...refused("Later"), kind: "Waiting", retryAfterMs: 1 })).toBeUndefined();
    expect(answerProblem({ ...refused("Later"), kind: "Waiting", retryAfterMs: 3_600_001 })).toContain("one hour");
    expect(answerProblem({ kind: "Refused", reason: "Because" })).toContain("message must be a text");
    expect(answerProblem({ ...attested, pins: [] })).toContain("must be an object");
    expect(answerProblem({ ...attested, pins: { "a b": "c" } })).toContain("pin a b");
    expect(answerProblem(null)).toContain("null");
  });
});
