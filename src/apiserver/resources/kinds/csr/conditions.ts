// Conditions of a CSR on their way into storage: times filled in, decisions kept from writers who may not decide.

import type { CertificateSigningRequest, CsrCondition } from "../../../../api/certificates/index.ts";
import { formatTime } from "../../metadata.ts";

/** Conditions that decide; only /approval may add or change them. */
export const DECISIONS: readonly string[] = ["Approved", "Denied"];

/** Missing times: updated now; turned when the same type and status was first seen, else now. */
export function stampConditions(
  conditions: readonly CsrCondition[],
  current: CertificateSigningRequest,
  nowMs: number,
): readonly CsrCondition[] {
  const now = formatTime(nowMs);
  return conditions.map((condition) => {
    const before = current.status?.conditions?.find(
      (old) => old.type === condition.type && old.status === condition.status && old.lastTransitionTime !== undefined,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? now,
    };
  });
}

/** Decisions that were sent back, as many as are stored, become the stored ones again; other numbers fail validation. */
export function restoreConditions(
  sent: readonly CsrCondition[],
  current: CertificateSigningRequest,
): readonly CsrCondition[] {
  const restored = [...sent];
  for (const type of DECISIONS) {
    const old = (current.status?.conditions ?? []).filter((condition) => condition.type === type);
    const places = sent.flatMap((condition, at) => (condition.type === type ? [at] : []));
    if (places.length !== old.length) continue;
    for (const [nth, at] of places.entries()) restored[at] = old[nth] ?? restored[at] ?? { type, status: "True" };
  }
  return restored;
}
