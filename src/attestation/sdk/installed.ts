// An installed verifier as a provider of the controller: challenged with a nonce, or proving by one request that ends
// by itself. The rules that are not its own come first; then it is asked.

import type { Answer, Question } from "@countersign/sdk";
import { assert } from "../../kernel/outcome/index.ts";
import {
  type CanonicalObject,
  CHALLENGE_ANNOTATION,
  CHALLENGE_NONCE_OCTETS,
  type Envelope,
  encodeChallenge,
  encodeProtocol,
  type Freshness,
  transcriptDigest,
} from "../evidence/index.ts";
import type { Attested, ChallengeMaking, HelloStep, PlannedChallenge, ProofStep, Provider } from "../provider.ts";
import {
  type ChallengeFacts,
  challengeTimes,
  commonPins,
  credentialAlarms,
  envelopeIn,
  isOpened,
  type ProofFacts,
  pinsOf,
} from "../rules/index.ts";
import { judgeInstalledHello, judgeInstalledProof, judgeInstalledSingle } from "./judge.ts";

/** What this needs of an installed verifier. */
export interface AskedVerifier {
  readonly name: string;
  readonly versions: readonly number[];
  readonly freshness: "challenge" | "time-limited";
  ask(question: Question, options: { readonly signal: AbortSignal }): Promise<Answer>;
}

export function installedProvider(verifier: AskedVerifier): Provider {
  const { name, versions, freshness } = verifier;
  const hello: HelloStep = {
    kind: "hello",
    gather: async (common) => common,
    judge: judgeInstalledHello,
    challenge: planNonceChallenge,
  };
  const asking: Pick<ProofStep, "gather" | "verify" | "pins"> = {
    gather: async (common) => common,
    verify: (facts, signal) => verifier.ask(questionFor(facts), { signal }),
    pins: planPins,
  };
  // The requester of a challenge was told of then.
  const proof: ProofStep = { kind: "proof", ...asking, judge: judgeInstalledProof, alarms: () => [] };
  const single: ProofStep = { kind: "single", ...asking, judge: judgeInstalledSingle, alarms: credentialAlarms };
  return { name, versions, steps: freshness === "challenge" ? { hello, proof } : { single } };
}

/** For a provider without a key to encrypt to: its platform signs the transcript, in which the nonce is. */
function planNonceChallenge(facts: ChallengeFacts, { key, randomBytes }: ChallengeMaking): PlannedChallenge {
  const envelope = envelopeIn(facts);
  assert(facts.challenged.ok && envelope !== undefined, "only what passed is challenged");
  const nonce = randomBytes(CHALLENGE_NONCE_OCTETS);
  const { protocol } = envelope;
  const challenge = { alg: "nonce", ...challengeTimes(facts), kid: key.kid, nonce, protocol } as const;
  return {
    challenge: encodeChallenge(key, challenge, facts.challenged.value),
    annotations: {},
    expiresMs: challenge.exp * 1000,
  };
}

function questionFor(facts: ProofFacts): Question {
  const { hello, object, reading } = facts;
  assert(reading.request.ok && reading.envelope.ok, "a provider is asked after the request was read");
  const envelope = reading.envelope.value.parsed;
  const { publicKey, tbs, subjectAltNames } = reading.request.value.parsed;
  const { node, providerId, intent, purpose, signer, cluster, protocol } = envelope;
  const freshness = freshnessOf(facts);
  const digest = transcriptDigest({ statement: envelope, protocol, spki: publicKey.spki, cri: tbs, freshness });
  const sent = hello.kind === "Present" ? envelopeIn(hello.value) : undefined;
  return {
    nowMs: facts.nowMs,
    request: {
      ...{ nodeName: node, providerId, intent, purpose, signerName: signer, cluster, digest },
      protocol: encodeProtocol(protocol),
      publicKey: publicKey.spki,
    },
    evidence: dataOf(envelope) ?? {},
    hello: sent === undefined ? undefined : dataOf(sent),
    requester: object.requester,
    machine: facts.machines.kind === "Present" ? facts.machines.value[0] : undefined,
    // An identity that an operator reset holds the machine to nothing.
    pins: isOpened(facts, envelope) ? undefined : pinsOf(facts.identity)?.pins,
    names: [...(subjectAltNames?.dnsNames ?? []), ...(subjectAltNames?.ipAddresses ?? [])],
  };
}

function dataOf({ body }: Envelope): CanonicalObject | undefined {
  return body.kind === "installed" ? body.value : undefined;
}

function freshnessOf({ hello }: ProofFacts): Freshness {
  if (hello.kind !== "Present") return { kind: "none" };
  const { object } = hello.value;
  const annotation = object.annotations[CHALLENGE_ANNOTATION] ?? "";
  return { kind: "challenge", helloRequest: object.request, helloUid: object.uid, annotation };
}

function planPins(facts: ProofFacts, proven: Attested | undefined) {
  assert(proven !== undefined, "pins are planned after the verifier was satisfied");
  const { pins, level } = proven;
  return { ...commonPins(facts), pins, level, attestedAt: new Date(facts.nowMs).toISOString() };
}
