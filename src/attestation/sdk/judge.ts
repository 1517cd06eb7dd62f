// The chains around an installed provider's verifier: every rule that is not the provider's own. Its verifier is asked
// when they hold.

import { type Judgement, judgeInOrder, type Rule } from "../../kernel/outcome/index.ts";
import {
  ANSWERED_RULES,
  type ChallengeFacts,
  challengeIsOurOwn,
  type EvidenceFacts,
  identityKeepsItsPins,
  limitsAreKept,
  machineIsExpected,
  machineIsYoung,
  namesAreTheMachines,
  nodeIsItsOwn,
  type ProofFacts,
  READABLE_RULES,
  requesterMayAsk,
  servingIsCovered,
} from "../rules/index.ts";

const EXPECTED_RULES: readonly Rule<EvidenceFacts>[] = [
  requesterMayAsk,
  servingIsCovered,
  identityKeepsItsPins,
  machineIsExpected,
  machineIsYoung,
  namesAreTheMachines,
  nodeIsItsOwn,
];

export const INSTALLED_HELLO_RULES: readonly Rule<ChallengeFacts>[] = [
  ...READABLE_RULES,
  requesterMayAsk,
  servingIsCovered,
  identityKeepsItsPins,
  machineIsExpected,
  machineIsYoung,
  nodeIsItsOwn,
  limitsAreKept,
  challengeIsOurOwn,
];

export const INSTALLED_PROOF_RULES: readonly Rule<ProofFacts>[] = [
  ...READABLE_RULES,
  ...ANSWERED_RULES,
  ...EXPECTED_RULES,
];

export const INSTALLED_SINGLE_RULES: readonly Rule<EvidenceFacts>[] = [
  ...READABLE_RULES,
  ...EXPECTED_RULES,
  limitsAreKept,
];

export function judgeInstalledHello(facts: ChallengeFacts): Judgement {
  const message = `all ${INSTALLED_HELLO_RULES.length} rules hold: the request may be challenged`;
  return judgeInOrder(INSTALLED_HELLO_RULES, facts, { reason: "MayBeChallenged", message });
}

/** Allow: the provider's verifier may be asked. */
export function judgeInstalledProof(facts: ProofFacts): Judgement {
  const message = `all ${INSTALLED_PROOF_RULES.length} rules hold: the provider may be asked`;
  return judgeInOrder(INSTALLED_PROOF_RULES, facts, { reason: "MayBeVerified", message });
}

/** Allow: the provider's verifier may be asked. */
export function judgeInstalledSingle(facts: EvidenceFacts): Judgement {
  const message = `all ${INSTALLED_SINGLE_RULES.length} rules hold: the provider may be asked`;
  return judgeInOrder(INSTALLED_SINGLE_RULES, facts, { reason: "MayBeVerified", message });
}
