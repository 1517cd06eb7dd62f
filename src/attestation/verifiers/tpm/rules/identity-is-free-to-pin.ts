// P17, before the write: the identity of this name is ours to pin, and this TPM's exchange does not meet another's pins.
import { notYet, pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { isOpened, pinsOf } from "../../identity.ts";
import { withEvidence, withReading } from "../../with-evidence.ts";
import type { EndorsementFacts } from "../facts.ts";

const RETRY_UNREAD_MS = 2_000;

export const identityIsFreeToPin: Rule<EndorsementFacts> = {
  id: "identity-is-free-to-pin",
  sentence: "no other machine was pinned under this name while the exchange ran",
  judge: withEvidence(({ envelope }, facts) => {
    const { identity, keys } = facts;
    if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
    if (identity.kind === "Absent") return pass("first exchange");
    return withReading(keys.endorsementKey, ({ hash }) => {
      const pinned = pinsOf(identity)?.tpm?.ek.spkiSha256;
      const isFree = pinned === undefined || pinned === hash || isOpened(facts, envelope);
      return isFree ? pass() : refuse("IdentityConflict", `${envelope.node} was pinned to another TPM meanwhile`);
    });
  }),
};
