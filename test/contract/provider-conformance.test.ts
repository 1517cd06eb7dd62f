// The conformance suite of the SDK on the product's own providers. It asks as the controller asks an installed
// verifier; the rules that answer are those by which the product judges, without the ones about the request around the
// evidence. The suite chooses the digest that evidence must cover: it stands for the PKCS#10, whose hash is in the
// transcript.

import { describe, expect, it } from "vitest";
import { failureOf } from "../../sdk/src/conformance/index.ts";
import {
  type Answer,
  type Conformance,
  conformanceChecks,
  type EvidenceRequest,
  type JsonObject,
  type MachineView,
  type NodeProvider,
  type Question,
  type Verifier,
} from "../../sdk/src/index.ts";
import { encodeBody, readBody } from "../../src/attestation/evidence/body.ts";
import {
  CHALLENGE_ANNOTATION,
  type EvidenceBody,
  exchangeExtraData,
  parseChallenge,
  parseProtocol,
  type Statement,
  transcriptDigest,
} from "../../src/attestation/evidence/index.ts";
import { ObjectReader } from "../../src/attestation/evidence/schema.ts";
import { INSECURE_RULES } from "../../src/attestation/insecure/judge.ts";
import { ANSWERED_RULES, attempt, type EvidenceFacts, READABLE_RULES } from "../../src/attestation/rules/index.ts";
import { readTpmKeys } from "../../src/attestation/tpm/facts.ts";
import { type OwnedProofFacts, TPM_OWNED_RULES, TPM_PROOF_RULES } from "../../src/attestation/tpm/judge.ts";
import { judgeInOrder, type Rule } from "../../src/kernel/outcome/index.ts";
import {
  aMachine,
  aNodeUser,
  anExchange,
  anIdentity,
  CLUSTER,
  NODE,
  NOW_MS,
  PCR_VALUES,
  PCRS,
  proofFacts,
  tpmHash,
} from "../builders/exchange.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";

const tpm = aSoftTpm();
const PROVIDER_ID = aMachine().providerId ?? "";
const NAMES = ["worker-1.example", "10.0.0.1"];
const exchange = anExchange({ tpm });

/** Rules of a provider's chain that are not about the request around its evidence. */
function ownRules<Facts>(chain: readonly Rule<Facts>[]): readonly Rule<Facts>[] {
  const others = [...READABLE_RULES, ...ANSWERED_RULES, { id: "limits-are-kept" }].map(({ id }) => id);
  return chain.filter(({ id }) => !others.includes(id));
}

function statementOf({ nodeName, providerId, intent, purpose, signerName, protocol }: EvidenceRequest): Statement {
  return { intent, purpose, signer: signerName, node: nodeName, providerId, cluster: CLUSTER, offered: [protocol] };
}

function bodyOf(provider: "tpm" | "insecure", evidence: JsonObject, step: "hello" | "proof", intent: "join" | "renew") {
  return attempt("EnvelopeMalformed", () => {
    const reader = new ObjectReader({ [provider]: evidence }, "envelope");
    return readBody(reader, { provider, step, intent });
  });
}

/** The facts of a question, as far as they are not about the wire. */
function factsOf(question: Question, body: EvidenceBody): EvidenceFacts & OwnedProofFacts {
  const { request, names, pins, machine } = question;
  const facts = proofFacts(exchange);
  const envelope = { ...statementOf(request), protocol: parseProtocol(request.protocol), step: "proof", body } as never;
  const isRenewal = request.intent === "renew";
  const ek = pins?.["ek"];
  const known = anIdentity(tpm);
  const pinned = known.status?.tpm;
  const status = {
    ...known.status,
    provider: parseProtocol(request.protocol).provider,
    tpm: ek === undefined ? pinned : { ...pinned, ek: { ...pinned?.ek, spkiSha256: ek } },
    spkiSha256: pins?.["key"],
  };
  const identity = { ...known, status } as never;
  const ipAddresses = names.filter((name) => /^[0-9.]+$/.test(name));
  const parsed = {
    tbs: request.digest,
    publicKey: { spki: request.publicKey },
    subjectAltNames: { dnsNames: names.filter((name) => !ipAddresses.includes(name)), ipAddresses },
  } as never;
  return {
    ...facts,
    reading: {
      ...facts.reading,
      request: { ok: true, value: { parsed, signatureHolds: true } },
      envelope: { ok: true, value: { parsed: envelope, wasSealed: false } },
    },
    object: {
      ...facts.object,
      // The suite does not stamp the certificate that a node showed.
      requester: isRenewal ? aNodeUser(request.nodeName) : question.requester,
    },
    identity: isRenewal || pins !== undefined ? { kind: "Present", value: identity } : { kind: "Absent" },
    machines: machine === undefined ? { kind: "Absent" } : { kind: "Present", value: [aMachine(machine)] },
    ownNames: { kind: "Present", value: NAMES },
  };
}

function answerBy<Facts>(rules: readonly Rule<Facts>[], facts: Facts, pins: Readonly<Record<string, string>>): Answer {
  const { verdict } = judgeInOrder(rules, facts, { reason: "Attested", message: "" });
  if (verdict.kind === "Allow") return { kind: "Attested", level: "Listed", pins };
  const said = { reason: verdict.reason, message: verdict.message };
  return verdict.kind === "Wait"
    ? { kind: "Waiting", ...said, retryAfterMs: verdict.retryAfterMs }
    : { kind: "Refused", ...said };
}

const COMMON = { contractVersion: 1, versions: [1] } as const;
const gathering = { gatherLimitMs: 1_000, gather: async () => ({}) };
const tpmRules = [...ownRules(TPM_PROOF_RULES), ...TPM_OWNED_RULES] as readonly Rule<OwnedProofFacts>[];

function verifyTpm(question: Question): Answer {
  const { evidence, hello = {}, request } = question;
  const proof = bodyOf("tpm", evidence, "proof", request.intent);
  if (!proof.ok) return { kind: "Refused", reason: proof.reason, message: proof.message };
  const facts = factsOf(question, proof.value);
  const shown = bodyOf("tpm", hello, "hello", request.intent);
  const body = shown.ok ? shown.value : ({ kind: "insecure" } as const);
  const keys = readTpmKeys({ body } as never, facts.identity);
  return answerBy(tpmRules, { ...facts, keys }, { ek: tpmHash(tpm) });
}

const tpmEnds: Conformance = {
  provider: {
    ...{ ...COMMON, name: "tpm", freshness: "challenge", canRenew: true, canServe: true },
    providerId: async () => PROVIDER_ID,
    hello: async ({ intent }) => {
      const endorsement = intent === "renew" ? undefined : { ek: tpm.ek.raw, ekChain: [] };
      return encodeBody({ kind: "tpm-hello", ak: tpm.ak.raw, endorsement })["tpm"] as JsonObject;
    },
    attest: async (request) => {
      const annotation = exchange.challenged.annotations[CHALLENGE_ANNOTATION] ?? "";
      const { challenge } = parseChallenge(annotation);
      if (challenge.alg !== "tpm2-credential") throw new TypeError("no challenge for a TPM");
      const { request: helloRequest, uid: helloUid } = exchange.challenged;
      const freshness = { kind: "challenge", helloRequest, helloUid, annotation } as const;
      const protocol = parseProtocol(request.protocol);
      const covered = { statement: statementOf(request), protocol, spki: request.publicKey, cri: request.digest };
      const digest = transcriptDigest({ ...covered, freshness });
      const extraData = exchangeExtraData(tpm.open(challenge), digest);
      const quoted = tpm.quote({ extraData, pcrs: PCRS, values: PCR_VALUES });
      return encodeBody({ kind: "tpm-proof", ...quoted, pcrs: PCR_VALUES })["tpm"] as JsonObject;
    },
  } satisfies NodeProvider,
  verifier: {
    ...{ ...COMMON, ...gathering, name: "tpm", freshness: "challenge" },
    verifyClient: verifyTpm,
    verifyServing: verifyTpm,
  } satisfies Verifier,
  nodeName: NODE,
  machine: aMachine() as MachineView,
  servingNames: NAMES,
  nowMs: () => NOW_MS,
};

function verifyInsecure(question: Question): Answer {
  const body = bodyOf("insecure", question.evidence, "proof", question.request.intent);
  if (!body.ok) return { kind: "Refused", reason: body.reason, message: body.message };
  const facts = factsOf(question, body.value);
  const { envelope } = facts.reading;
  const single = envelope.ok ? { ...envelope.value, parsed: { ...envelope.value.parsed, step: "single" } } : undefined;
  const reading = { ...facts.reading, envelope: { ok: true, value: single } } as never;
  return answerBy(ownRules(INSECURE_RULES), { ...facts, reading }, { key: "any" });
}

const insecureEnds: Conformance = {
  ...tpmEnds,
  provider: {
    ...{ ...COMMON, name: "insecure", freshness: "none" as never, canRenew: false, canServe: false },
    providerId: async () => PROVIDER_ID,
    attest: async () => ({}),
  },
  verifier: {
    ...{ ...COMMON, ...gathering, name: "insecure", freshness: "none" as never },
    verifyClient: verifyInsecure,
    verifyServing: verifyInsecure,
  },
};

async function failuresOf(ends: Conformance): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { name, run } of conformanceChecks(ends)) {
    const failure = await failureOf(run);
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  return failures;
}

/** The product's own names are not for others. */
const TAKEN = "both ends have one name, which a signer name can end with";

describe("the conformance suite", () => {
  it("finds that the TPM provider conforms", async () => {
    expect(await failuresOf(tpmEnds)).toEqual([`${TAKEN}: name tpm is taken`]);
  });

  it("finds what the insecure provider does not prove, and nothing else", async () => {
    expect((await failuresOf(insecureEnds)).map((failure) => failure.split(":")[0])).toEqual([
      TAKEN,
      "evidence is protected from replay by a nonce or by a time limit",
      "evidence for another request is refused",
      "no evidence is refused",
      "another machine's provider ID is refused",
    ]);
  });
});
