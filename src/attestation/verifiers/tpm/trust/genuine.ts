// Source 5. A certificate of a TPM's maker: a real TPM, anybody's. By itself it admits nobody; see first-use.ts. Any extended key
// usage is accepted: makers write 2.23.133.8.1, or nothing. No address in a certificate is ever followed.
import { type ChainResult, validateChain } from "../../../../kernel/x509/index.ts";
import type { EndorsementFacts, EndorsementKey } from "../facts.ts";

export type Genuineness =
  | { readonly isGenuine: true; readonly note: string }
  | { readonly isGenuine: false; readonly why: string };

export function judgeGenuine({ chain }: EndorsementKey, facts: EndorsementFacts): Genuineness {
  const [leaf, ...sent] = chain;
  if (leaf === undefined) return { isGenuine: false, why: "the TPM showed no EK certificate" };
  const { roots, intermediates, nowMs, policy } = facts;
  const input = { leaf, roots, intermediates: [...intermediates, ...sent] };
  const now = validateChain({ ...input, nowMs });
  if (now.ok) return { isGenuine: true, note: "certified by its maker" };
  if (policy.tpm?.certificateValidity === "Enforce" || !isAboutTime(now)) return { isGenuine: false, why: now.message };
  // Makers let certificates of living TPMs run out: their time is reported, and counts only where the policy says so.
  const then = validateChain({ ...input, nowMs: Math.min(Math.max(nowMs, leaf.notBeforeMs), leaf.notAfterMs) });
  return then.ok
    ? { isGenuine: true, note: `certified by its maker; out of its time: ${now.message}` }
    : { isGenuine: false, why: then.message };
}

function isAboutTime(result: ChainResult): boolean {
  return !result.ok && (result.reason === "Expired" || result.reason === "NotYetValid");
}
