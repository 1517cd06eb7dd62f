// The search for a path, depth first: each issuer is judged by itself, then its signature is checked, and a path that
// has reached a root is judged as a whole. Where no path passes, the refusal that came closest to a root is the answer.
import { equalBytes } from "../../bytes/index.ts";
import { type Certificate, verifyCertificateSignature } from "../certificate.ts";
import { EKU_CLIENT_AUTH } from "../oids.ts";
import { type Budget, checkConstraints, createBudget, isSelfIssued, spend } from "./constraints.ts";
import { checkProfile, checkUsage } from "./profile.ts";
import { type ChainRefusal, type ChainResult, refuseChain, shown } from "./refusal.ts";

interface SearchInput {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
  readonly roots: readonly Certificate[];
  readonly nowMs: number;
  readonly usage?: string;
  readonly maxIntermediates: number;
}

/** Certificates from the leaf upwards; `top` is the last and still needs an issuer. */
interface Path {
  readonly members: readonly Certificate[];
  readonly top: Certificate;
}

/** The higher, the more a refusal says: no issuer, an unfit issuer, a whole path that fails, no more budget. */
type Closeness = 0 | 1 | 2 | 3;

interface Search {
  readonly input: SearchInput;
  readonly budget: Budget;
  refusal: ChainRefusal;
  closeness: Closeness;
}

export function searchPath(input: SearchInput): ChainResult {
  const { leaf } = input;
  const refusal = refuseChain("UntrustedIssuer", `no trusted issuer signed certificate ${shown(leaf)}`);
  const search: Search = { input, budget: createBudget(), refusal, closeness: 0 };
  const chain = extend(search, { members: [leaf], top: leaf });
  return chain === undefined ? search.refusal : { ok: true, chain };
}

function extend(search: Search, path: Path): readonly Certificate[] | undefined {
  return endAtRoot(search, path) ?? goThroughIntermediate(search, path);
}

function endAtRoot(search: Search, path: Path): readonly Certificate[] | undefined {
  const { roots, usage } = search.input;
  for (const root of issuersOf(path.top, roots)) {
    if (!mayStandAbove(search, path, { issuer: root, place: "root" })) continue;
    const whole = [...path.members, root];
    const refusal = checkUsage(whole, usage) ?? checkConstraints(whole, search.budget);
    if (refusal === undefined) return whole;
    remember(search, refusal, 2);
  }
  return undefined;
}

function goThroughIntermediate(search: Search, path: Path): readonly Certificate[] | undefined {
  for (const issuer of issuersOf(path.top, search.input.intermediates)) {
    if (path.members.some((member) => isSameCa(member, issuer))) continue;
    if (!mayStandAbove(search, path, { issuer, place: "intermediate" })) continue;
    const whole = extend(search, { members: [...path.members, issuer], top: issuer });
    if (whole !== undefined) return whole;
  }
  return undefined;
}

/** Those of that name, likelier first: key identifiers are hints, and only the signature decides. */
function issuersOf(child: Certificate, candidates: readonly Certificate[]): readonly Certificate[] {
  const named = candidates.filter(({ subject }) => equalBytes(subject.raw, child.issuer.raw));
  return named.length < 2 ? named : named.toSorted((a, b) => likeliness(child, b) - likeliness(child, a));
}

function likeliness({ authorityKeyId }: Certificate, { subjectKeyId }: Certificate): number {
  if (authorityKeyId === undefined || subjectKeyId === undefined) return 1;
  return equalBytes(authorityKeyId, subjectKeyId) ? 2 : 0;
}

/** Cross-signing makes cycles: the same name with the same key twice in a path leads nowhere new. */
function isSameCa(a: Certificate, b: Certificate): boolean {
  return equalBytes(a.subject.raw, b.subject.raw) && equalBytes(a.publicKey.spki, b.publicKey.spki);
}

interface Candidate {
  readonly issuer: Certificate;
  readonly place: "intermediate" | "root";
}

/** Whether the candidate may issue, fits above the path's length, and signed the path's top. */
function mayStandAbove(search: Search, path: Path, candidate: Candidate): boolean {
  const { nowMs, maxIntermediates } = search.input;
  const { issuer, place } = candidate;
  const unfit =
    checkProfile(issuer, place, nowMs) ??
    checkLength(path, candidate, maxIntermediates) ??
    checkAuthority(path.top, issuer, search.input.usage);
  if (unfit !== undefined) {
    remember(search, unfit, 1);
    return false;
  }
  if (!spend(search.budget, "signatureChecks", 1)) {
    remember(search, refuseChain("LimitExceeded", "certificates describe too many paths"), 3);
    return false;
  }
  return verifyCertificateSignature(path.top, issuer.publicKey);
}

/**
 * RFC 5280 §4.2.1.1: a certificate that is signed by a key with an identifier names it. Client certificates are exempt:
 * operators make them with `openssl x509 -req`, which writes no extensions, and every Kubernetes API server takes them.
 */
function checkAuthority(child: Certificate, issuer: Certificate, usage: string | undefined): ChainRefusal | undefined {
  if (usage === EKU_CLIENT_AUTH || issuer.subjectKeyId === undefined || child.authorityKeyId !== undefined)
    return undefined;
  return refuseChain(
    "ProfileViolated",
    `certificate ${shown(child)} does not say which key of ${shown(issuer)} signed it`,
  );
}

function checkLength(path: Path, { issuer, place }: Candidate, most: number): ChainRefusal | undefined {
  const below = path.members.slice(1).filter((member) => !isSelfIssued(member)).length;
  const limit = issuer.basicConstraints?.pathLength;
  if (limit !== undefined && below > limit) {
    return refuseChain(
      "PathTooLong",
      `CA ${shown(issuer)} allows ${limit} intermediates below it, the path has ${below}`,
    );
  }
  const added = place === "intermediate" && !isSelfIssued(issuer) ? 1 : 0;
  return below + added > most ? refuseChain("PathTooLong", `path has more than ${most} intermediates`) : undefined;
}

function remember(search: Search, refusal: ChainRefusal, closeness: Closeness): void {
  if (closeness <= search.closeness) return;
  search.refusal = refusal;
  search.closeness = closeness;
}
