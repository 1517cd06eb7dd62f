import { type Answer, answerProblem, type Question, type Verifier } from "@countersign/sdk";
import { describe, expect, it } from "vitest";
import { askVerifier } from "./verifier.ts";

const attested: Answer = { kind: "Attested", level: "Key", pins: { key: "k" } };
const question = { request: { purpose: "client" }, pins: undefined } as unknown as Question;
const serving = { ...question, request: { ...question.request, purpose: "serving" } } as Question;
const signal = new AbortController().signal;

function aVerifier(overrides: Partial<Verifier> = {}): Verifier {
  return {
    name: "example",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    gatherLimitMs: 1_000,
    gather: async () => ({ known: true }),
    verifyClient: (_, facts) => ((facts as { known?: boolean }).known ? attested : { ...attested, pins: {} }),
    verifyServing: () => ({ kind: "Refused", reason: "SanNotAllowed", message: "no" }),
    ...overrides,
  };
}
const ask = (overrides: Partial<Verifier>, asked = question) => askVerifier(aVerifier(overrides), asked, { signal });
const saying = (answer: unknown) => ({ verifyClient: () => answer as Answer });

describe("asking a verifier", () => {
  it("gathers, then judges by purpose", async () => {
    expect(await ask({})).toEqual(attested);
    expect(await ask({}, serving)).toMatchObject({ kind: "Refused", reason: "SanNotAllowed" });
  });

  it("keeps nothing of an answer but what the contract names", async () => {
    expect(await ask(saying({ ...attested, admin: true }))).toEqual(attested);
    expect(await ask(saying({ kind: "Refused", reason: "Abc", message: "m".repeat(9_000) }))).toMatchObject({
      message: "m".repeat(1_024),
    });
  });

  it("waits for a platform that cannot be asked, and for one that does not end", async () => {
    const away = { kind: "Waiting", reason: "EndorserUnavailable" };
    const fail = async () => {
      throw new TypeError("connection refused");
    };
    expect(await ask({ gather: fail })).toMatchObject({ ...away, message: expect.stringContaining("refused") });
    expect(await ask({ gatherLimitMs: 20, gather: () => new Promise(() => undefined) })).toMatchObject(away);
    expect(await askVerifier(aVerifier(), question, { signal: AbortSignal.abort() })).toMatchObject({
      kind: "Waiting",
    });
  });

  it("holds the pins itself", async () => {
    expect(await ask({}, { ...question, pins: { key: "k" } })).toEqual(attested);
    for (const pins of [{ key: "other" }, {}, { key: "k", more: "x" }])
      expect(await ask({}, { ...question, pins })).toMatchObject({ reason: "IdentityConflict" });
  });

  const unreadable: Readonly<Record<string, unknown>> = {
    nothing: undefined,
    "a promise": Promise.resolve(attested),
    "a boolean": true,
    "another kind": { kind: "Approved" },
    "no pins": { kind: "Attested", level: "Key" },
    "empty pins": { kind: "Attested", level: "Key", pins: {} },
    "pins that are numbers": { kind: "Attested", level: "Key", pins: { key: 1 } },
    "a pin that is a book": { kind: "Attested", level: "Key", pins: { key: "x".repeat(513) } },
    "a pin with a line feed": { kind: "Attested", level: "Key", pins: { key: "a\nb" } },
    "a level that is a sentence": { kind: "Attested", level: "very good", pins: { key: "k" } },
    "a reason that is a sentence": { kind: "Refused", reason: "it is wrong", message: "no" },
    "a reason without message": { kind: "Refused", reason: "Wrong" },
    "a wait without end": { kind: "Waiting", reason: "Later", message: "no", retryAfterMs: Number.POSITIVE_INFINITY },
  };
  it.each(Object.entries(unreadable))("takes %s for a refusal, and the SDK tells its author why", async (_, answer) => {
    expect(await ask(saying(answer))).toMatchObject({ kind: "Refused", reason: "VerifierFailed" });
    expect(answerProblem(answer)).toBeDefined();
  });

  const readable: readonly Answer[] = [
    attested,
    {
      kind: "Attested",
      level: "Key",
      pins: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`p${at}`, "x"])),
    },
    { kind: "Attested", level: "Abc", pins: { "a.b-c_d": "x".repeat(512) } },
    { kind: "Refused", reason: "No1", message: "" },
    { kind: "Waiting", reason: "Later", message: "soon", retryAfterMs: 3_600_000 },
  ];
  it.each(readable.map((answer) => [JSON.stringify(answer).slice(0, 60), answer] as const))(
    "takes %s as it is, as the SDK says",
    async (_, answer) => {
      expect(answerProblem(answer)).toBeUndefined();
      expect(await ask(saying(answer))).toEqual(answer);
    },
  );

  it("lets nobody in whose evidence names another Machine than the one in question", async () => {
    const machine = { name: "worker-1" } as Question["machine"];
    const naming = (name: unknown, asked: Question = { ...question, machine }) =>
      ask({ machineName: () => name as string }, asked);
    expect(await naming("worker-1")).toEqual(attested);
    expect(await naming(undefined)).toEqual(attested);
    expect(await naming("worker-1", question)).toEqual(attested);
    for (const name of ["worker-2", "", 7, null])
      expect(await naming(name)).toMatchObject({ kind: "Refused", reason: "MachineMismatch" });
    const machineName = () => {
      throw new TypeError("bug");
    };
    expect(await ask({ machineName })).toMatchObject({ reason: "VerifierFailed" });
  });

  it("takes a judge that throws for a refusal", async () => {
    const verifyClient = () => {
      throw new TypeError("bug");
    };
    expect(await ask({ verifyClient })).toMatchObject({
      reason: "VerifierFailed",
      message: "provider example failed: bug",
    });
  });
});
