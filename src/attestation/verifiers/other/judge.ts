// The rules around any other provider's verifier: all that is not the provider's own matter. Its verifier is asked when they hold.
import { type Judgement, judgeInOrder, type Rule } from "../../../kernel/outcome/index.ts";
import { ANSWERED_RULES, type ChallengeFacts, challengeIsOurOwn, type ProofFacts } from "../challenge/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { READABLE_RULES } from "../readable.ts";
import { identityKeepsItsPins } from "../rules/identity-keeps-its-pins.ts";
import { limitsAreKept } from "../rules/limits-are-kept.ts";
import { machineIsExpected } from "../rules/machine-is-expected.ts";
import { namesAreTheMachines } from "../rules/names-are-the-machines.ts";
import { requesterMayAsk } from "../rules/requester-may-ask.ts";
import { servingIsCovered } from "../rules/serving-is-covered.ts";
import { machineIsYoung } from "./machine-is-young.ts";
import { nodeIsItsOwn } from "./node-is-its-own.ts";

const EXPECTED_RULES: readonly Rule<EvidenceFacts>[] = [
  requesterMayAsk,
  servingIsCovered,
  identityKeepsItsPins,
  machineIsExpected,
  machineIsYoung,
  namesAreTheMachines,
  nodeIsItsOwn,
];

export const OTHER_HELLO_RULES: readonly Rule<ChallengeFacts>[] = [
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

export const OTHER_PROOF_RULES: readonly Rule<ProofFacts>[] = [...READABLE_RULES, ...ANSWERED_RULES, ...EXPECTED_RULES];

export const OTHER_SINGLE_RULES: readonly Rule<EvidenceFacts>[] = [...READABLE_RULES, ...EXPECTED_RULES, limitsAreKept];

export function judgeOtherHello(facts: ChallengeFacts): Judgement {
  const message = `all ${OTHER_HELLO_RULES.length} rules hold: the request may be challenged`;
  return judgeInOrder(OTHER_HELLO_RULES, facts, { reason: "MayBeChallenged", message });
}

/** Allow: the provider's verifier may be asked. */
export function judgeOtherProof(facts: ProofFacts): Judgement {
  const message = `all ${OTHER_PROOF_RULES.length} rules hold: the provider may be asked`;
  return judgeInOrder(OTHER_PROOF_RULES, facts, { reason: "MayBeVerified", message });
}

/** Allow: the provider's verifier may be asked. */
export function judgeOtherSingle(facts: EvidenceFacts): Judgement {
  const message = `all ${OTHER_SINGLE_RULES.length} rules hold: the provider may be asked`;
  return judgeInOrder(OTHER_SINGLE_RULES, facts, { reason: "MayBeVerified", message });
}
