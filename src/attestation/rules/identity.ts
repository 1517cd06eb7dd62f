// What a NodeIdentity holds a node to. A retired identity holds it to nothing; one that an operator reset holds a join
// to nothing while the reset is open.

import type { NodeIdentity, NodeIdentityStatus } from "../../api/countersign/index.ts";
import { notYet, pass, type Rule, refuse, type Seen } from "../../kernel/outcome/index.ts";
import type { Claims } from "../evidence/index.ts";
import { type EvidenceFacts, RETRY_UNREAD_MS } from "./facts.ts";
import { withEvidence } from "./with-evidence.ts";

/** The pins in force, or undefined where there are none. */
export function pinsOf(identity: Seen<NodeIdentity>): NodeIdentityStatus | undefined {
  if (identity.kind !== "Present") return undefined;
  const { status } = identity.value;
  return status === undefined || status.phase === "Retired" ? undefined : status;
}

export function isRevoked({ spec, status }: NodeIdentity): boolean {
  return spec.revoked === true || status?.phase === "Revoked";
}

/** By an operator's word at once; otherwise when its Machine and its Node are gone. */
export function isRetired({ spec, status }: NodeIdentity): boolean {
  return spec.retired === true || status?.phase === "Retired";
}

interface OpenReset {
  /** The one key that may be pinned anew; absent: any that is trusted. */
  readonly ekSpkiSha256: string | undefined;
}

/** Whether an operator opened the pins, and the hour is not over. */
export function openReset({ spec }: NodeIdentity, nowMs: number): OpenReset | undefined {
  const { reset } = spec;
  if (reset === undefined || !(Date.parse(reset.until) > nowMs) || reset.clock === true) return undefined;
  return { ekSpkiSha256: reset.ekSpkiSha256 };
}

/** Whether the identity holds this request to nothing: an operator opened it, and the request is a join. A renewal keeps its pins. */
export function isOpened(
  { identity, nowMs }: { readonly identity: Seen<NodeIdentity>; readonly nowMs: number },
  { intent }: Pick<Claims, "intent">,
): boolean {
  return intent === "join" && identity.kind === "Present" && openReset(identity.value, nowMs) !== undefined;
}

/** Whether an operator said that the TPM's clock may go back. */
export function openClockReset({ spec }: NodeIdentity, nowMs: number): boolean {
  return spec.reset !== undefined && Date.parse(spec.reset.until) > nowMs;
}

/** What the first exchange pinned stays. The endorsement key has a rule of its own, in the TPM provider. */
type Present = Extract<EvidenceFacts["identity"], { kind: "Present" }>;

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
