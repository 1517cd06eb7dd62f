// Renewal in one step (3.9): a young beacon, the pinned attestation key, and a transcript that names the new key. A replay gives
// whoever replays it a certificate for a key that they do not have.
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { beaconEpoch, beaconExtraData, beaconNonce, transcriptDigest } from "../../../evidence/index.ts";
import { keyOf } from "../../challenge/with-challenge.ts";
import { isUsedLate, USED_LATE } from "../../rules/requester-may-ask.ts";
import type { TpmHelloFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

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
      claims: envelope,
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
