// What an identity holds a node to. A retired one holds it to nothing; one that the operator opened holds a join to nothing for
// as long as it is open.
import type { NodeIdentity, NodeIdentityStatus } from "../../api/countersign/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { Claims } from "../evidence/index.ts";

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

export interface OpenReset {
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
