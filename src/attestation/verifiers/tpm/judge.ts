// The rules of the TPM provider in the order of the protocol: a hello (H1–H20), a proof until it may use the challenge up
// (P1–P11), a proof that owns its challenge (P13–P17), and a renewal by beacon.
import { type Judgement, judgeInOrder, type Rule } from "../../../kernel/outcome/index.ts";
import { ANSWERED_RULES, challengeIsOurOwn } from "../challenge/index.ts";
import { READABLE_RULES } from "../readable.ts";
import { identityKeepsItsPins } from "../rules/identity-keeps-its-pins.ts";
import { limitsAreKept } from "../rules/limits-are-kept.ts";
import { machineIsExpected } from "../rules/machine-is-expected.ts";
import { namesAreTheMachines } from "../rules/names-are-the-machines.ts";
import { requesterMayAsk } from "../rules/requester-may-ask.ts";
import { servingIsCovered } from "../rules/serving-is-covered.ts";
import type { TpmHelloFacts, TpmProofFacts } from "./facts.ts";
import { attestationKeyIsAnEndorsementPrimary } from "./rules/attestation-key-is-an-endorsement-primary.ts";
import { attestationKeyIsRestricted } from "./rules/attestation-key-is-restricted.ts";
import { endorsementKeyIsPinned } from "./rules/endorsement-key-is-pinned.ts";
import { endorsementKeyIsTrusted } from "./rules/endorsement-key-is-trusted.ts";
import { endorsementKeyIsWellFormed } from "./rules/endorsement-key-is-well-formed.ts";
import { identityIsFreeToPin } from "./rules/identity-is-free-to-pin.ts";
import { nodeNameIsFree } from "./rules/node-name-is-free.ts";
import { type PcrDemandFacts, pcrsAreThoseAskedFor } from "./rules/pcrs-are-those-asked-for.ts";
import { pcrsKeepThePolicy } from "./rules/pcrs-keep-the-policy.ts";
import { quoteAnswersTheBeacon } from "./rules/quote-answers-the-beacon.ts";
import { quoteAnswersTheChallenge } from "./rules/quote-answers-the-challenge.ts";
import { quoteIsSignedByTheAttestationKey } from "./rules/quote-is-signed-by-the-attestation-key.ts";
import { quoteIsWellFormed } from "./rules/quote-is-well-formed.ts";
import { tpmClockGoesForward } from "./rules/tpm-clock-goes-forward.ts";

export const TPM_HELLO_RULES: readonly Rule<TpmHelloFacts>[] = [
  ...READABLE_RULES,
  requesterMayAsk,
  servingIsCovered,
  identityKeepsItsPins,
  endorsementKeyIsPinned,
  endorsementKeyIsWellFormed,
  attestationKeyIsRestricted,
  endorsementKeyIsTrusted,
  machineIsExpected,
  nodeNameIsFree,
  limitsAreKept,
  challengeIsOurOwn,
];

/** Everything here can be failed by a stranger's junk, so none of it touches the hello. */
export const TPM_PROOF_RULES: readonly Rule<TpmProofFacts>[] = [
  ...READABLE_RULES,
  ...ANSWERED_RULES,
  quoteIsWellFormed,
  quoteIsSignedByTheAttestationKey,
  attestationKeyIsAnEndorsementPrimary,
  quoteAnswersTheChallenge,
];

/** After the challenge was used up by this proof; on live reads. */
const ATTESTED_RULES: readonly Rule<PcrDemandFacts>[] = [
  pcrsAreThoseAskedFor,
  pcrsKeepThePolicy,
  tpmClockGoesForward,
  requesterMayAsk,
  servingIsCovered,
  identityKeepsItsPins,
  endorsementKeyIsPinned,
  endorsementKeyIsTrusted,
  machineIsExpected,
  namesAreTheMachines,
  nodeNameIsFree,
  identityIsFreeToPin,
];

export type OwnedProofFacts = TpmProofFacts & PcrDemandFacts;
export const TPM_OWNED_RULES: readonly Rule<OwnedProofFacts>[] = ATTESTED_RULES;

export type BeaconFacts = TpmHelloFacts & PcrDemandFacts;
export const TPM_BEACON_RULES: readonly Rule<BeaconFacts>[] = [
  ...READABLE_RULES,
  quoteIsWellFormed,
  quoteIsSignedByTheAttestationKey,
  attestationKeyIsAnEndorsementPrimary,
  quoteAnswersTheBeacon,
  ...ATTESTED_RULES,
];

export function judgeTpmHello(facts: TpmHelloFacts): Judgement {
  const message = `all ${TPM_HELLO_RULES.length} rules hold: the request may be challenged`;
  return judgeInOrder(TPM_HELLO_RULES, facts, { reason: "MayBeChallenged", message });
}

/** Allow: the challenge may be used up by this proof. */
export function judgeTpmProof(facts: TpmProofFacts): Judgement {
  const message = `all ${TPM_PROOF_RULES.length} rules hold: the proof answers its challenge`;
  return judgeInOrder(TPM_PROOF_RULES, facts, { reason: "ChallengeAnswered", message });
}

/** Allow: the exchange may be pinned and the request approved. */
export function judgeOwnedTpmProof(facts: OwnedProofFacts): Judgement {
  return judgeInOrder(TPM_OWNED_RULES, facts, attested(facts.nowMs));
}

export function judgeTpmBeacon(facts: BeaconFacts): Judgement {
  return judgeInOrder(TPM_BEACON_RULES, facts, attested(facts.nowMs));
}

function attested(nowMs: number): { readonly reason: string; readonly message: string } {
  return { reason: "Attested", message: `provider tpm attested the machine at ${new Date(nowMs).toISOString()}` };
}
