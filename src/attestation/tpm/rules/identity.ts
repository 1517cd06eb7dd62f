// Rules about the identity and the Node of the name that the machine asks for.

import { notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { isEnrolledKey, isOpened, pinsOf, RETRY_UNREAD_MS, withEvidence, withReading } from "../../rules/index.ts";
import type { EndorsementFacts } from "../facts.ts";

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

export const nodeNameIsFree: Rule<EndorsementFacts> = {
  id: "node-name-is-free",
  sentence: "no Node has the name, unless its identity pins this very endorsement key or was enrolled with it",
  judge: withEvidence(({ envelope }, facts) => {
    const { node, identity, keys } = facts;
    if (node.kind === "NotRead") return notYet("NodeNotRead", node.why, RETRY_UNREAD_MS);
    if (node.kind === "Absent") return pass();
    return withReading(keys.endorsementKey, ({ hash }) => {
      const isSame = pinsOf(identity)?.tpm?.ek.spkiSha256 === hash;
      // The operator who enrols a key for the name of a registered node says that it is that node's TPM.
      return isSame || isEnrolledKey(identity, hash) || isOpened(facts, envelope)
        ? pass("the node's own TPM")
        : refuse("NodeNameTaken", `a Node ${envelope.node} exists and this is not its TPM`);
    });
  }),
};
