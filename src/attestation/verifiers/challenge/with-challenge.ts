// For judges that need the challenged request, its challenge, or both.
import { type Finding, notYet, refuse } from "../../../kernel/outcome/index.ts";
import {
  CHALLENGE_ANNOTATION,
  type ChallengeKeys,
  type Envelope,
  type ParsedChallenge,
  parseChallenge,
} from "../../evidence/index.ts";
import { attempt, type Reading } from "../reading.ts";
import { type ReadEvidence, withEvidence } from "../with-evidence.ts";
import type { HelloFacts, ProofFacts } from "./facts.ts";

const RETRY_UNREAD_MS = 2_000;

export interface ReadHello extends HelloFacts {
  readonly envelope: Envelope;
  readonly spki: Uint8Array;
}

export function withHello<Facts extends ProofFacts>(
  judge: (hello: ReadHello, read: ReadEvidence, facts: Facts) => Finding,
): (facts: Facts) => Finding {
  return withEvidence<Facts>((read, facts) => {
    const { hello } = facts;
    if (hello.kind === "NotRead") return notYet("HelloNotRead", hello.why, RETRY_UNREAD_MS);
    if (hello.kind === "Absent") return refuse("ChallengeUnknown", "the request that was challenged does not exist");
    const { envelope, request } = hello.value.reading;
    if (!envelope.ok || !request.ok) return refuse("ChallengeUnknown", "the request that was challenged is no hello");
    return judge(
      { ...hello.value, envelope: envelope.value.parsed, spki: request.value.parsed.publicKey.spki },
      read,
      facts,
    );
  });
}

/** The annotation of the challenged request. */
export function challengeOf({ object }: HelloFacts): Reading<ParsedChallenge> {
  const annotation = object.annotations[CHALLENGE_ANNOTATION];
  if (annotation === undefined)
    return { ok: false, reason: "ChallengeUnknown", message: "the request that is named was never challenged" };
  return attempt("ChallengeForged", () => parseChallenge(annotation));
}

export function keyOf(keys: readonly ChallengeKeys[], kid: string): ChallengeKeys | undefined {
  return keys.find((key) => key.kid === kid);
}
