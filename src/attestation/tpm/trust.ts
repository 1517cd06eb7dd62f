// Which endorsement key is trusted, by which source: the heading of this name in docs/protocols/attestation.md. Sources
// are asked in order, and the first that is not silent decides.

import type { EkTrustLevel, NodeIdentity } from "../../api/countersign/index.ts";
import { equalBytes } from "../../kernel/bytes/index.ts";
import {
  type Certificate,
  type ChainResult,
  isListed,
  type RevocationList,
  validateChain,
  verifyRevocationListSignature,
} from "../../kernel/x509/index.ts";
import { openReset, pinsOf } from "../rules/index.ts";
import type { EndorsementFacts, EndorsementKey } from "./facts.ts";

type TrustAnswer =
  | { readonly kind: "Trusted"; readonly level: EkTrustLevel; readonly note: string }
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "Waiting"; readonly reason: string; readonly message: string }
  /** Nothing known; `why` where that may help an operator. */
  | { readonly kind: "Silent"; readonly why?: string };

interface TrustSource {
  readonly id: string;
  readonly sentence: string;
  readonly ask: (key: EndorsementKey, facts: EndorsementFacts) => TrustAnswer;
}

const SILENT: TrustAnswer = { kind: "Silent" };

/**
 * Keys of revoked identities, keys that the policy denies, and keys that the ROCA weakness lets anyone compute
 * (CVE-2017-15361).
 */
const denyList: TrustSource = {
  id: "deny-list",
  sentence: "a key that is revoked or weak is trusted by nobody",
  ask: ({ hash, area }, { deniedKeys, policy }) => {
    const isListed = deniedKeys.includes(hash) || policy.tpm?.deniedEndorsementKeys?.includes(hash) === true;
    if (isListed)
      return { kind: "Refused", reason: "EndorsementKeyDenied", message: "the endorsement key is on the deny list" };
    if (area.type === "rsa" && isRocaModulus(area.modulus))
      return { kind: "Refused", reason: "EndorsementKeyDenied", message: "the endorsement key has the ROCA weakness" };
    return SILENT;
  },
};

const pins: TrustSource = {
  id: "pins",
  sentence: "the endorsement key of an attested node is the pinned one",
  ask: ({ hash }, { identity }) => {
    const pinned = pinsOf(identity)?.tpm?.ek.spkiSha256;
    return pinned === hash ? { kind: "Trusted", level: "Pinned", note: "pinned at an earlier exchange" } : SILENT;
  },
};

/**
 * An operator or the platform states which endorsement key this very machine has. A source that should know and cannot
 * be asked is waited for, never passed over for a weaker one.
 */
const bound: TrustSource = {
  id: "bound",
  sentence: "whoever says which endorsement key this machine has says this one",
  ask: ({ hash }, facts) => {
    const unread = facts.sources.find(({ statement }) => statement.kind === "NotRead");
    if (unread !== undefined)
      return { kind: "Waiting", reason: "EndorserUnavailable", message: `source ${unread.name} could not be asked` };
    const statements = statementsOf(facts);
    const [first] = statements;
    if (first === undefined) return SILENT;
    if (new Set(statements.map(({ key }) => key)).size > 1) {
      const names = statements.map(({ name }) => name).join(", ");
      return {
        kind: "Refused",
        reason: "EndorsementKeyConflict",
        message: `sources disagree on the endorsement key: ${names}`,
      };
    }
    return first.key === hash
      ? { kind: "Trusted", level: "Bound", note: `bound by ${first.name}` }
      : {
          kind: "Refused",
          reason: "EndorsementKeyUntrusted",
          message: `${first.name} says that this machine has another TPM`,
        };
  },
};

function statementsOf({
  identity,
  sources,
  nowMs,
}: EndorsementFacts): readonly { readonly name: string; readonly key: string }[] {
  const said = identity.kind === "Present" ? saidByOperator(identity.value, nowMs) : undefined;
  const others = sources.flatMap(({ name, statement }) =>
    statement.kind === "Present" ? [{ name, key: statement.value }] : [],
  );
  return said === undefined ? others : [{ name: "operator", key: said }, ...others];
}

/** Of an enrolment and a later reset the reset counts: the board was changed since. */
function saidByOperator(identity: NodeIdentity, nowMs: number): string | undefined {
  return openReset(identity, nowMs)?.ekSpkiSha256 ?? identity.spec.tpm?.ek.spkiSha256;
}

const listed: TrustSource = {
  id: "listed",
  sentence: "the endorsement key is in the policy's list",
  ask: ({ hash }, { policy }) =>
    policy.tpm?.endorsementKeys?.includes(hash) === true
      ? { kind: "Trusted", level: "Listed", note: "listed in the policy" }
      : SILENT,
};

/**
 * The first TPM that comes for a Machine wins: a race, so the policy must allow it explicitly, and the TPM must be
 * genuine.
 */
const firstUse: TrustSource = {
  id: "first-use",
  sentence: "a genuine TPM is trusted at first use where the policy allows it in writing",
  ask: (key, facts) => {
    const genuine = judgeGenuine(key, facts);
    if (!genuine.isGenuine) return { kind: "Silent", why: genuine.why };
    if (facts.policy.tpm?.firstUse !== "Allow")
      return { kind: "Silent", why: "a maker's certificate alone admits nobody; list or enroll the key" };
    return { kind: "Trusted", level: "FirstUse", note: `first use; ${genuine.note}` };
  },
};

/**
 * A certificate of the TPM's maker shows a real TPM, whichever; alone it admits no machine. Any extended key usage is
 * accepted, because makers write 2.23.133.8.1 or none. No URL in a certificate is followed.
 */
type Genuineness =
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

/**
 * Lists come with the policy; none is fetched. One that cannot be read, or verified, may name this very certificate.
 */
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

/**
 * The fingerprint of keys with the ROCA weakness (Nemec et al., 2017): their primes have the form k·M + 65537^a mod M,
 * so the modulus lies in the subgroup that 65537 generates modulo every small prime. Of sound keys one in 2^154 does.
 */
const PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
] as const;

const SUBGROUPS: readonly (readonly [number, ReadonlySet<number>])[] = PRIMES.map((prime) => [
  prime,
  subgroupOf(prime),
]);

function subgroupOf(prime: number): ReadonlySet<number> {
  const members = new Set<number>();
  for (let power = 1; !members.has(power); power = (power * 65537) % prime) members.add(power);
  return members;
}

export function isRocaModulus(modulus: Uint8Array): boolean {
  return SUBGROUPS.every(([prime, members]) => members.has(remainder(modulus, prime)));
}

function remainder(magnitude: Uint8Array, prime: number): number {
  let rest = 0;
  for (const octet of magnitude) rest = (rest * 256 + octet) % prime;
  return rest;
}

export const TRUST_SOURCES: readonly TrustSource[] = [denyList, pins, bound, listed, firstUse];

/** The answer of the first source that is not silent; the last one's reason where all are. */
export function judgeTrust(key: EndorsementKey, facts: EndorsementFacts): TrustAnswer {
  let last = SILENT;
  for (const { ask } of TRUST_SOURCES) {
    const answer = ask(key, facts);
    if (answer.kind !== "Silent") return answer;
    last = answer;
  }
  return last;
}
