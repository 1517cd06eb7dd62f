// Rules about the quote: what it is, by which key, what it answers, and the TPM's clock in it.

import { equalBytes } from "../../../kernel/bytes/index.ts";
import { type Finding, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { parseQuote, parseTpmSignature, type Quote, verifyTpmSignature } from "../../../kernel/tpm/index.ts";
import {
  beaconEpoch,
  beaconExtraData,
  beaconNonce,
  CHALLENGE_ANNOTATION,
  challengeSecret,
  exchangeExtraData,
  type TpmProof,
  transcriptDigest,
} from "../../evidence/index.ts";
import type { Alarm } from "../../rules/index.ts";
import {
  attempt,
  challengeOf,
  type EvidenceFacts,
  isUsedLate,
  keyOf,
  openClockReset,
  pinsOf,
  type ReadEvidence,
  USED_LATE,
  withEvidence,
  withHello,
  withReading,
} from "../../rules/index.ts";
import type { EndorsementFacts, TpmHelloFacts, TpmProofFacts } from "../facts.ts";

/** For rules that need the quote: the proof's body and its parsed attestation. */
export function withQuote<Facts extends EvidenceFacts>(
  judge: (quote: Quote, proof: TpmProof, given: { readonly read: ReadEvidence; readonly facts: Facts }) => Finding,
): (facts: Facts) => Finding {
  return withEvidence<Facts>((read, facts) => {
    const { body } = read.envelope;
    if (body.kind !== "tpm-proof") return refuse("QuoteMalformed", "the evidence has no quote");
    return withReading(
      attempt("QuoteMalformed", () => parseQuote(body.attest)),
      (quote) => judge(quote, body, { read, facts }),
    );
  });
}

export const quoteIsWellFormed: Rule<EndorsementFacts> = {
  id: "quote-is-well-formed",
  sentence: "the attestation is a quote, whole and nothing besides",
  judge: withQuote(() => pass()),
};

/**
 * The attestation key of the hello, or of a renewal by beacon the pinned one; by the scheme of that key, over the bytes
 * received.
 */
export const quoteIsSignedByTheAttestationKey: Rule<EndorsementFacts> = {
  id: "quote-is-signed-by-the-attestation-key",
  sentence: "the quote's signature verifies with the attestation key",
  judge: withQuote((quote, proof, { facts }) =>
    withReading(facts.keys.attestationKey, (key) =>
      withReading(
        attempt("QuoteSignatureInvalid", () => parseTpmSignature(proof.signature)),
        (signature) =>
          verifyTpmSignature(key, signature, quote.raw)
            ? pass()
            : refuse("QuoteSignatureInvalid", "the quote is not signed by the attestation key"),
      ),
    ),
  ),
};

/** A prover that cannot open the credential does not pass this rule: what follows it may touch the hello. */
export const quoteAnswersTheChallenge: Rule<TpmProofFacts> = {
  id: "quote-answers-the-challenge",
  sentence: "the quote's extra data is keyed by the challenge's secret over this exchange",
  judge: (facts) =>
    withHello<TpmProofFacts>((hello) => withReading(challengeOf(hello), (parsed) => judgeQuote(facts, hello, parsed)))(
      facts,
    ),
};

type Hello = Parameters<Parameters<typeof withHello<TpmProofFacts>>[0]>[0];
type Parsed = Extract<ReturnType<typeof challengeOf>, { ok: true }>["value"];

function judgeQuote(facts: TpmProofFacts, hello: Hello, { challenge }: Parsed) {
  const keys = keyOf(facts.challengeKeys, challenge.kid);
  if (keys === undefined || challenge.alg !== "tpm2-credential")
    return refuse("ChallengeUnknown", "the hello bears no challenge for a TPM");
  return withReading(facts.challenged, (challenged) =>
    withQuote<TpmProofFacts>((quote, _, { read }) => {
      const secret = challengeSecret(keys, challenge, challenged);
      const freshness = {
        kind: "challenge",
        helloRequest: hello.object.request,
        helloUid: hello.object.uid,
        annotation: hello.object.annotations[CHALLENGE_ANNOTATION] ?? "",
      } as const;
      const { envelope, request } = read;
      const transcript = { statement: envelope, protocol: envelope.protocol, cri: request.tbs, freshness };
      const digest = transcriptDigest({ ...transcript, spki: request.publicKey.spki });
      return equalBytes(exchangeExtraData(secret, digest), quote.extraData)
        ? pass()
        : refuse(
            "ChallengeFailed",
            "the quote does not answer the challenge: another TPM, another request, or altered",
          );
    })(facts),
  );
}

/**
 * A replayed quote yields a certificate for a key that the replayer does not have: the transcript names the key. See
 * "Renewal by beacon" in docs/protocols/attestation.md.
 */
/** Epochs before now that still count, and after it for replicas' clocks. */
const EPOCHS_BACK = 2;
const EPOCHS_AHEAD = 1;

export const quoteAnswersTheBeacon: Rule<TpmHelloFacts> = {
  id: "quote-answers-the-beacon",
  sentence: "the quote answers a young beacon of ours, and the policy lets renewals go by it",
  judge: withQuote((quote, _, { read, facts }) => {
    const { envelope, request } = read;
    const { beacon } = envelope;
    if (facts.policy.renewalBeacon !== true || envelope.intent !== "renew")
      return refuse("RenewalNeedsExchange", "renewals go by a full exchange here");
    if (isUsedLate(facts)) return refuse("RenewalNeedsExchange", `${USED_LATE}: only a full exchange will do`);
    if (beacon === undefined) return refuse("BeaconExpired", "the evidence names no beacon");
    const now = beaconEpoch(facts.nowMs);
    const keys = keyOf(facts.challengeKeys, beacon.kid);
    if (keys === undefined || beacon.epoch < now - EPOCHS_BACK || beacon.epoch > now + EPOCHS_AHEAD)
      return refuse("BeaconExpired", `beacon ${beacon.epoch} is not one of the last minutes`);
    const transcript = {
      statement: envelope,
      protocol: envelope.protocol,
      cri: request.tbs,
      spki: request.publicKey.spki,
    };
    const digest = transcriptDigest({ ...transcript, freshness: { kind: "beacon", ...beacon } });
    const nonce = beaconNonce(keys, beacon.epoch, facts.cluster.ids[0] ?? "");
    return equalBytes(beaconExtraData(nonce, digest), quote.extraData)
      ? pass(`beacon ${beacon.epoch}`)
      : refuse("ChallengeFailed", "the quote does not answer the beacon for this request");
  }),
};

/**
 * A pair of resets and clock that is not greater than the last one comes from a copy, a restored snapshot or a cleared
 * TPM.
 */
export const tpmClockGoesForward: Rule<EndorsementFacts> = {
  id: "tpm-clock-goes-forward",
  sentence: "the TPM's starts and clock are beyond those of the last exchange",
  judge: withQuote((quote, _, { facts }) => {
    const { identity, nowMs, policy } = facts;
    const regression = clockRegression(quote, facts);
    if (regression === undefined) return pass();
    if (identity.kind === "Present" && openClockReset(identity.value, nowMs)) return pass("opened by an operator");
    return policy.tpm?.clockRegression === "Warn"
      ? pass(`the policy only warns: ${regression}`)
      : refuse("TpmClockRegressed", regression);
  }),
};

/** What went back, in words; undefined: nothing did. */
function clockRegression(quote: Quote, { identity, keys }: EndorsementFacts): string | undefined {
  const last = pinsOf(identity)?.tpm;
  // Another TPM's clock says nothing of this one; whether it may be another is for endorsement-key-is-pinned to say.
  if (keys.endorsementKey.ok && last?.ek.spkiSha256 !== keys.endorsementKey.value.hash) return undefined;
  if (last?.resetCount === undefined || last.clock === undefined) return undefined;
  const isBeyond =
    quote.resetCount > last.resetCount || (quote.resetCount === last.resetCount && quote.clock > BigInt(last.clock));
  return isBeyond
    ? undefined
    : `the TPM is at start ${quote.resetCount}, clock ${quote.clock}; it was at ${last.resetCount}, ${last.clock}`;
}

/** Of a quote that every rule let pass, though its TPM's clock went back. */
export function clockAlarms(facts: EndorsementFacts): readonly Alarm[] {
  const { envelope } = facts.reading;
  const body = envelope.ok ? envelope.value.parsed.body : undefined;
  if (body?.kind !== "tpm-proof") return [];
  const quote = attempt("QuoteMalformed", () => parseQuote(body.attest));
  const message = quote.ok ? clockRegression(quote.value, facts) : undefined;
  return message === undefined ? [] : [{ reason: "TpmClockRegressed", message }];
}
