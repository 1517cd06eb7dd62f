// The chains of the TPM provider, in the order of docs/protocols/attestation.md: a hello, a proof until it may use the
// challenge up, a proof that has used it up, and a renewal by beacon.

import { type Judgement, judgeInOrder, type Rule } from "../../kernel/outcome/index.ts";
import type { ProviderJudgement } from "../provider.ts";
import {
  ANSWERED_RULES,
  challengeIsOurOwn,
  identityOfKeyKeepsItsPins,
  limitsAreKept,
  machineIsExpected,
  namesAreTheMachines,
  READABLE_RULES,
  requesterMayAsk,
  servingIsCovered,
} from "../rules/index.ts";
import { auditedHolders, type EndorsementFacts, KEY_IN_USE, type TpmHelloFacts, type TpmProofFacts } from "./facts.ts";
import { attestationKeyIsAnEndorsementPrimary, attestationKeyIsRestricted } from "./rules/attestation-key.ts";
import {
  endorsementKeyIsPinned,
  endorsementKeyIsTrusted,
  endorsementKeyIsWellFormed,
} from "./rules/endorsement-key.ts";
import { identityIsFreeToPin, nodeNameIsFree } from "./rules/identity.ts";
import { type PcrDemandFacts, pcrsAreThoseAskedFor, pcrsKeepThePolicy } from "./rules/pcrs.ts";
import {
  quoteAnswersTheBeacon,
  quoteAnswersTheChallenge,
  quoteIsSignedByTheAttestationKey,
  quoteIsWellFormed,
  tpmClockGoesForward,
} from "./rules/quote.ts";

export const TPM_HELLO_RULES: readonly Rule<TpmHelloFacts>[] = [
  ...READABLE_RULES,
  requesterMayAsk,
  servingIsCovered,
  identityOfKeyKeepsItsPins,
  endorsementKeyIsPinned,
  endorsementKeyIsWellFormed,
  attestationKeyIsRestricted,
  endorsementKeyIsTrusted,
  machineIsExpected,
  nodeNameIsFree,
  limitsAreKept,
  challengeIsOurOwn,
];

/** Anyone can send a proof that fails here, so none of it touches the hello. */
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
  identityOfKeyKeepsItsPins,
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

export function judgeTpmHello(facts: TpmHelloFacts): ProviderJudgement {
  const message = `all ${TPM_HELLO_RULES.length} rules hold: the request may be challenged`;
  return withHolders(facts, judgeInOrder(TPM_HELLO_RULES, facts, { reason: "MayBeChallenged", message }));
}

/** Allow: the challenge may be used up by this proof. */
export function judgeTpmProof(facts: TpmProofFacts): ProviderJudgement {
  const message = `all ${TPM_PROOF_RULES.length} rules hold: the proof answers its challenge`;
  return judgeInOrder(TPM_PROOF_RULES, facts, { reason: "ChallengeAnswered", message });
}

/** Allow: the exchange may be pinned and the request approved. */
export function judgeOwnedTpmProof(facts: OwnedProofFacts): ProviderJudgement {
  return withHolders(facts, judgeInOrder(TPM_OWNED_RULES, facts, attested(facts.nowMs)));
}

export function judgeTpmBeacon(facts: BeaconFacts): ProviderJudgement {
  return withHolders(facts, judgeInOrder(TPM_BEACON_RULES, facts, attested(facts.nowMs)));
}

function attested(nowMs: number): { readonly reason: string; readonly message: string } {
  return { reason: "Attested", message: `provider tpm attested the machine at ${new Date(nowMs).toISOString()}` };
}

/**
 * The requester is told in words which nodes bear the key (`describeHolders`), the operator by the names of identities.
 */
function withHolders({ otherHolders }: EndorsementFacts, judgement: Judgement): ProviderJudgement {
  const isInUse = judgement.verdict.reason === KEY_IN_USE && otherHolders.kind === "Present";
  return isInUse ? { ...judgement, audited: auditedHolders(otherHolders.value) } : judgement;
}
