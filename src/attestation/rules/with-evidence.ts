// For rules that need what was read of the request, of the hello that it names, or of the challenge on it. What could
// not be read is refused in every such rule, not only in the rule of its stage: no rule relies on another having run
// before it.

import { type Finding, notYet, refuse } from "../../kernel/outcome/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";
import {
  CHALLENGE_ANNOTATION,
  type ChallengeKeys,
  type Envelope,
  type EvidenceBlocks,
  type ParsedChallenge,
  parseChallenge,
} from "../evidence/index.ts";
import { type EvidenceFacts, type HelloFacts, type ProofFacts, RETRY_UNREAD_MS } from "./facts.ts";
import { attempt, type Reading } from "./reading.ts";

export interface ReadEvidence {
  readonly blocks: EvidenceBlocks;
  readonly request: CertificateRequest;
  readonly signatureHolds: boolean;
  readonly envelope: Envelope;
  readonly wasSealed: boolean;
}

export function withEvidence<Facts extends EvidenceFacts>(
  judge: (read: ReadEvidence, facts: Facts) => Finding,
): (facts: Facts) => Finding {
  return (facts) => {
    const { blocks, request, envelope } = facts.reading;
    if (!blocks.ok) return refusalOf(blocks);
    if (!request.ok) return refusalOf(request);
    if (!envelope.ok) return refusalOf(envelope);
    const { parsed, signatureHolds } = request.value;
    const { parsed: read, wasSealed } = envelope.value;
    return judge({ blocks: blocks.value, request: parsed, signatureHolds, envelope: read, wasSealed }, facts);
  };
}

/** The envelope, where it can be read. */
export function envelopeIn({ reading }: Pick<EvidenceFacts, "reading">): Envelope | undefined {
  return reading.envelope.ok ? reading.envelope.value.parsed : undefined;
}

export function withReading<T>(reading: Reading<T>, judge: (value: T) => Finding): Finding {
  return reading.ok ? judge(reading.value) : refusalOf(reading);
}

function refusalOf(reading: { readonly reason: string; readonly message: string }): Finding {
  return refuse(reading.reason, reading.message);
}

interface ReadHello extends HelloFacts {
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
