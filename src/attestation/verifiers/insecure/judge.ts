// The insecure provider's rules: H1–H13 and H17–H19 without a TPM's. It proves possession of a token and knowledge of a waiting
// Machine, and says so.
import { type Judgement, judgeInOrder, type Rule } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { READABLE_RULES } from "../readable.ts";
import { identityKeepsItsPins } from "../rules/identity-keeps-its-pins.ts";
import { limitsAreKept } from "../rules/limits-are-kept.ts";
import { machineIsExpected } from "../rules/machine-is-expected.ts";
import { requesterMayAsk } from "../rules/requester-may-ask.ts";
import { firstUseIsUnspent } from "./first-use-is-unspent.ts";
import { onlyJoinsAsAClient } from "./only-joins-as-a-client.ts";

export const INSECURE_RULES: readonly Rule<EvidenceFacts>[] = [
  ...READABLE_RULES,
  onlyJoinsAsAClient,
  requesterMayAsk,
  identityKeepsItsPins,
  machineIsExpected,
  firstUseIsUnspent,
  limitsAreKept,
];

export function judgeInsecure(facts: EvidenceFacts): Judgement {
  return judgeInOrder(INSECURE_RULES, facts, {
    reason: "Unattested",
    message: "level Unattested: the machine proved nothing but a bootstrap credential and a waiting Machine",
  });
}
