// The rules of the insecure provider, which proves possession of a bootstrap credential and knowledge of a waiting
// Machine: "Other providers" in docs/protocols/attestation.md.

import { MADE_FOR_ANNOTATION } from "../../api/countersign/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { type Judgement, judgeInOrder, notYet, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import {
  type EvidenceFacts,
  identityKeepsItsPins,
  limitsAreKept,
  machineIsExpected,
  needsProof,
  pinsOf,
  provesNothing,
  READABLE_RULES,
  RETRY_UNREAD_MS,
  requesterMayAsk,
  withEvidence,
} from "../rules/index.ts";

/** As *Cluster API Kubelet Authentication* demands of insecure providers: no rotation, no serving certificates. */
const onlyJoinsAsAClient: Rule<EvidenceFacts> = {
  id: "only-joins-as-a-client",
  sentence: "the insecure provider asks for a first client certificate and nothing else",
  judge: withEvidence(({ envelope }) => {
    if (envelope.purpose === "serving")
      return refuse("ProviderCannotServe", "the insecure provider has no serving certificates");
    if (envelope.intent === "renew") return refuse("ProviderCannotRenew", "the insecure provider does not renew");
    const isSingle = envelope.step === "single" && envelope.body.kind === "insecure";
    return isSingle ? pass() : refuse("EnvelopeMalformed", "the insecure provider asks in one step");
  }),
};

/**
 * Trust on first use. The same key may ask again within an hour, as a machine does that crashed before it stored its
 * certificate.
 */
const SAME_KEY_MS = 3_600_000;
const firstUseIsUnspent: Rule<EvidenceFacts> = {
  id: "first-use-is-unspent",
  sentence: "the node was never let in, or the same key asks again within the hour",
  judge: withEvidence(({ request }, { identity, node, nowMs }) => {
    if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
    if (node.kind === "NotRead") return notYet("NodeNotRead", node.why, RETRY_UNREAD_MS);
    const pins = pinsOf(identity);
    if (pins?.spkiSha256 === undefined)
      return node.kind === "Present" ? refuse("NodeNameTaken", "a Node of that name exists") : pass("first use");
    const isSameKey = pins.spkiSha256 === encodeHex(sha256(request.publicKey.spki));
    const isYoung = nowMs - Date.parse(pins.attestedAt ?? "") < SAME_KEY_MS;
    return isSameKey && isYoung ? pass("the same key again") : refuse("FirstUseSpent", "the node was let in before");
  }),
};

/** A reset opens the pins for another proof, not for none. */
const nothingHasToBeProven: Rule<EvidenceFacts> = {
  id: "nothing-has-to-be-proven",
  sentence: "the node was neither enrolled by an operator nor attested by a provider that proves something",
  judge: withEvidence(({ envelope }, { identity, object }) => {
    if (identity.kind !== "Present" || !needsProof(identity.value)) return pass();
    if (identity.value.metadata.annotations?.[MADE_FOR_ANNOTATION] === object.uid) return pass("made for this request");
    const { provider } = identity.value.status ?? {};
    const isAttested = provider !== undefined && !provesNothing(provider);
    const why = isAttested ? `was attested by ${provider}` : "was enrolled by an operator";
    return refuse("EvidenceRequired", `${envelope.node} ${why}, and the insecure provider proves nothing`);
  }),
};

export const INSECURE_RULES: readonly Rule<EvidenceFacts>[] = [
  ...READABLE_RULES,
  onlyJoinsAsAClient,
  requesterMayAsk,
  identityKeepsItsPins,
  nothingHasToBeProven,
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
