// H13, without the endorsement key, which is the TPM's own rule: what was written at the first exchange stays.
import { notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { isRevoked, type OpenReset, openReset, pinsOf } from "../identity.ts";
import { withEvidence } from "../with-evidence.ts";

type Present = Extract<EvidenceFacts["identity"], { kind: "Present" }>;

const RETRY_UNREAD_MS = 2_000;

export const identityKeepsItsPins: Rule<EvidenceFacts> = {
  id: "identity-keeps-its-pins",
  sentence: "the node's identity, where there is one, is not revoked and has this provider and provider ID",
  judge: withEvidence(({ envelope }, { identity, nowMs }) => {
    if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
    if (identity.kind === "Absent") return pass("no identity yet");
    if (isRevoked(identity.value)) return refuse("IdentityRevoked", `the identity of ${envelope.node} was revoked`);
    const { provider } = envelope.protocol;
    const reset = envelope.intent === "join" ? openReset(identity.value, nowMs) : undefined;
    if (provider !== "tpm" && isForOneTpm(identity, reset))
      return refuse("ProviderChanged", `${envelope.node} is for a TPM by an operator's word, not for ${provider}`);
    if (reset !== undefined) return pass("opened by an operator");
    const pins = pinsOf(identity);
    if (pins?.provider !== undefined && pins.provider !== provider)
      return refuse("ProviderChanged", `${envelope.node} was attested by ${pins.provider}, not by ${provider}`);
    const pinned = pins?.providerId ?? identity.value.spec.providerId;
    if (pinned !== undefined && pinned !== envelope.providerId)
      return refuse("ProviderIdChanged", `${envelope.node} has another provider ID than at its first exchange`);
    return pass();
  }),
};

/** Opened or enrolled for one TPM, it is for nobody who shows none. An enrolment is the word until the first exchange. */
function isForOneTpm(identity: Present, reset: OpenReset | undefined): boolean {
  if (reset !== undefined) return reset.ekSpkiSha256 !== undefined;
  return identity.value.spec.tpm !== undefined && pinsOf(identity)?.provider === undefined;
}
