// Rules of challenge and answer, for every provider that is challenged: "Rules until the challenge is used up" in
// docs/protocols/attestation.md.

import { equalBytes } from "../../kernel/bytes/index.ts";
import { type Judgement, judgeInOrder, notMine, notYet, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import {
  CHALLENGE_ANNOTATION,
  CHALLENGE_SECONDS,
  CONSUMED_BY_ANNOTATION,
  type Envelope,
  encodeProtocol,
  isOwnChallenge,
  parseChallenge,
} from "../evidence/index.ts";
import type { ChallengeFacts, ProofFacts } from "./facts.ts";
import { attempt } from "./reading.ts";
import { credentialOf } from "./requester.ts";
import { challengeOf, keyOf, withHello, withReading } from "./with-evidence.ts";

/**
 * The creator of a request may send a challenge annotation along. Those of this controller carry a MAC; a valid one
 * that has not expired needs no second.
 */
export const challengeIsOurOwn: Rule<ChallengeFacts> = {
  id: "challenge-is-our-own",
  sentence: "a challenge that is on the request already is our own",
  judge: ({ object, challengeKeys, challenged, nowMs }) => {
    const annotation = object.annotations[CHALLENGE_ANNOTATION];
    if (annotation === undefined) return pass();
    const parsed = attempt("AnnotationForged", () => parseChallenge(annotation));
    return withReading(parsed, (value) =>
      withReading(challenged, (side) => {
        const keys = keyOf(challengeKeys, value.challenge.kid);
        if (keys === undefined || !isOwnChallenge(keys, value, side))
          return refuse("AnnotationForged", "the challenge on the request was not written by this controller");
        return nowMs <= value.challenge.exp * 1000
          ? notMine("AlreadyChallenged", "the request has a challenge that waits for its answer")
          : notMine("ChallengeOver", "the challenge was not answered in time; the request will be deleted");
      }),
    );
  },
};

const challengedRequestExists: Rule<ProofFacts> = {
  id: "challenged-request-exists",
  sentence: "the request that the proof names exists, with that uid, is a hello and is not being deleted",
  judge: withHello(({ object, envelope }, read) => {
    const named = read.envelope.hello;
    const isIt = named !== undefined && object.name === named.name && object.uid === named.uid;
    return isIt && envelope.step === "hello" && !object.isDeleting
      ? pass(object.name)
      : refuse("ChallengeUnknown", "the request that the proof names is another, no hello, or being deleted");
  }),
};

const requesterIsTheSame: Rule<ProofFacts> = {
  id: "requester-is-the-same",
  sentence: "hello and proof come from one user, and a renewal's from one certificate",
  judge: withHello((hello, { envelope }, { object }) => {
    const [first, second] = [hello.object.requester, object.requester];
    const isSame =
      first.username === second.username &&
      (envelope.intent === "join" || credentialOf(first) === credentialOf(second));
    return isSame ? pass() : refuse("RequesterChanged", "the proof comes from another requester than its hello");
  }),
};

const statementsAreTheSame: Rule<ProofFacts> = {
  id: "claims-are-the-same",
  sentence: "node, provider ID, purpose, intent, signer, cluster, versions and key are the hello's",
  judge: withHello((hello, { envelope, request }) => {
    const other = differingField(hello.envelope, envelope);
    if (other !== undefined) return refuse("HelloMismatch", `the proof has another ${other} than its hello`);
    return equalBytes(hello.spki, request.publicKey.spki)
      ? pass()
      : refuse("HelloMismatch", "the proof has another key than its hello");
  }),
};

const COMPARED = ["node", "providerId", "purpose", "intent", "signer", "cluster"] as const;

function differingField(hello: Envelope, proof: Envelope): string | undefined {
  const field = COMPARED.find((name) => hello[name] !== proof[name]);
  if (field !== undefined) return field;
  if (hello.offered.join() !== proof.offered.join()) return "list of versions";
  return encodeProtocol(hello.protocol) === encodeProtocol(proof.protocol) ? undefined : "version";
}

/** A replica may learn a new challenge key a moment after the replica that made it. */
const KEY_PATIENCE_MS = 60_000;
const RETRY_KEY_MS = 2_000;

const challengeIsKnown: Rule<ProofFacts> = {
  id: "challenge-is-known",
  sentence: "the hello bears a challenge whose key is known and whose MAC holds",
  judge: withHello((hello, _, { challengeKeys, challenged, nowMs, object }) =>
    withReading(challengeOf(hello), (parsed) =>
      withReading(challenged, (side) => {
        const keys = keyOf(challengeKeys, parsed.challenge.kid);
        if (keys === undefined) {
          const isYoung = nowMs - object.createdMs < KEY_PATIENCE_MS;
          return isYoung
            ? notYet("KeyUnavailable", `challenge key ${parsed.challenge.kid} is not known here yet`, RETRY_KEY_MS)
            : refuse("ChallengeUnknown", `challenge key ${parsed.challenge.kid} is not known here`);
        }
        return isOwnChallenge(keys, parsed, side)
          ? pass()
          : refuse("ChallengeForged", "the challenge on the hello was not written by this controller");
      }),
    ),
  ),
};

/** Only a prover that knew the secret can have used the challenge up. */
const challengeIsUnused: Rule<ProofFacts> = {
  id: "challenge-is-unused",
  sentence: "the challenge was not used up by another proof",
  judge: withHello((hello, _, { object }) => {
    const consumer = hello.object.annotations[CONSUMED_BY_ANNOTATION];
    return consumer === undefined || consumer === object.uid
      ? pass()
      : refuse("ChallengeConsumed", "the challenge was answered by another proof");
  }),
};

/**
 * By the controller's clock alone, with a tolerance for clocks of other replicas. Not judged again once this proof has
 * used the challenge up.
 */
const CLOCK_TOLERANCE_MS = 30_000;

const challengeIsNotOver: Rule<ProofFacts> = {
  id: "challenge-is-not-over",
  sentence: "the challenge is answered in time",
  judge: withHello((hello, _, { nowMs, object }) => {
    if (hello.object.annotations[CONSUMED_BY_ANNOTATION] === object.uid) return pass("answered in time before");
    return withReading(challengeOf(hello), ({ challenge }) =>
      nowMs <= challenge.exp * 1000 + CLOCK_TOLERANCE_MS
        ? pass()
        : refuse("ChallengeExpired", `the challenge ended at ${new Date(challenge.exp * 1000).toISOString()}`),
    );
  }),
};

/** A proof answers a challenge that was given to its requester, once and in time. */
export const ANSWERED_RULES: readonly Rule<ProofFacts>[] = [
  challengedRequestExists,
  requesterIsTheSame,
  statementsAreTheSame,
  challengeIsKnown,
  challengeIsUnused,
  challengeIsNotOver,
];

/** What a challenge that is on the request already says; asked before everything else, because it ends the matter. */
export function judgeStandingChallenge(facts: ChallengeFacts): Judgement {
  return judgeInOrder([challengeIsOurOwn], facts, { reason: "NotChallenged", message: "the request has no challenge" });
}

/** `iat` and `exp` of a challenge that is given now. */
export function challengeTimes({ nowMs, policy }: ChallengeFacts): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(nowMs / 1000);
  return { iat, exp: iat + (policy.challengeSeconds ?? CHALLENGE_SECONDS.usual) };
}
