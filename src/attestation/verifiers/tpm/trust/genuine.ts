// Source 5. A certificate of a TPM's maker: a real TPM, anybody's. By itself it admits nobody; see first-use.ts. Any extended key
// usage is accepted: makers write 2.23.133.8.1, or nothing. No address in a certificate is ever followed.
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import {
  type Certificate,
  type ChainResult,
  isListed,
  type RevocationList,
  validateChain,
  verifyRevocationListSignature,
} from "../../../../kernel/x509/index.ts";
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
  if (now.ok) return unlessRevoked(now.chain, facts, "certified by its maker");
  if (policy.tpm?.certificateValidity === "Enforce" || !isAboutTime(now)) return { isGenuine: false, why: now.message };
  // Makers let certificates of living TPMs run out: their time is reported, and counts only where the policy says so.
  const then = validateChain({ ...input, nowMs: Math.min(Math.max(nowMs, leaf.notBeforeMs), leaf.notAfterMs) });
  return then.ok
    ? unlessRevoked(then.chain, facts, `certified by its maker; out of its time: ${now.message}`)
    : { isGenuine: false, why: then.message };
}

/** Lists come with the policy; none is fetched. One that cannot be read, or verified, may name this very certificate. */
function unlessRevoked(chain: readonly Certificate[], facts: EndorsementFacts, note: string): Genuineness {
  const lists: RevocationList[] = [];
  for (const list of facts.revocationLists) {
    if (!list.ok) return { isGenuine: false, why: `a revocation list of the policy cannot be read: ${list.message}` };
    lists.push(list.value);
  }
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    const why = issuer === undefined ? undefined : objectionTo(certificate, { issuer, lists, facts });
    if (why !== undefined) return { isGenuine: false, why };
  }
  return { isGenuine: true, note };
}

interface Issued {
  readonly issuer: Certificate;
  readonly lists: readonly RevocationList[];
  readonly facts: EndorsementFacts;
}

function objectionTo({ serialNumber }: Certificate, { issuer, lists, facts }: Issued): string | undefined {
  const named = lists.filter((list) => equalBytes(list.issuer.raw, issuer.subject.raw));
  if (named.some(({ signatureAlgorithm }) => signatureAlgorithm === "unsupported"))
    return "a revocation list of its maker has a signature that cannot be verified here";
  const own = named.filter((list) => verifyRevocationListSignature(list, issuer.publicKey));
  if (own.some((list) => isListed(list, serialNumber))) return "its maker revoked the EK certificate, or one above it";
  const countsTime = facts.policy.tpm?.certificateValidity === "Enforce";
  return countsTime && own.some((list) => isStale(list, facts.nowMs))
    ? "a revocation list of its maker is out of date"
    : undefined;
}

function isStale({ nextUpdateMs }: RevocationList, nowMs: number): boolean {
  return nextUpdateMs !== undefined && nextUpdateMs < nowMs;
}

function isAboutTime(result: ChainResult): boolean {
  return !result.ok && (result.reason === "Expired" || result.reason === "NotYetValid");
}
