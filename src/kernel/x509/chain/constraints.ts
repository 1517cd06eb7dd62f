// Applying name constraints (RFC 5280 §4.2.1.10, §6.1.3 b and c): every name of a certificate must lie in a permitted
// subtree of its kind, where there are any, and in no excluded one, for each CA above it.

import { equalBytes } from "../../bytes/index.ts";
import type { Certificate } from "../certificate.ts";
import { findExtension } from "../extensions/extension.ts";
import type { NameConstraints } from "../extensions/name-constraints.ts";
import { parseGeneralNames } from "../extensions/subject-alt-names.ts";
import type { GeneralName } from "../general-names.ts";
import { isHostPattern, parseMailbox, uriHost } from "../host-names.ts";
import { relativeNamesOf } from "../name.ts";
import { OID_EMAIL_ADDRESS, OID_SUBJECT_ALT_NAME } from "../oids.ts";
import { type ChainRefusal, refuseChain, shown } from "./refusal.ts";

/**
 * Every certificate against every CA above it; self-issued intermediates are exempt, so that a CA can change its key.
 */
export function checkConstraints(path: readonly Certificate[], budget: Budget): ChainRefusal | undefined {
  if (path.every(({ nameConstraints }) => nameConstraints === undefined)) return undefined;
  for (const [position, certificate] of path.entries()) {
    if (position > 0 && isSelfIssued(certificate)) continue;
    const refusal = checkBelow(certificate, path.slice(position + 1), budget);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkBelow(certificate: Certificate, above: readonly Certificate[], budget: Budget): ChainRefusal | undefined {
  const names = constrainedNames(certificate);
  for (const issuer of above) {
    const constraints = issuer.nameConstraints ?? NO_CONSTRAINTS;
    const subtrees = constraints.permitted.length + constraints.excluded.length;
    if (!spend(budget, "nameComparisons", names.length * subtrees)) {
      return refuseChain("LimitExceeded", "names and name constraints are too many");
    }
    const outside = names.find((name) => !isAllowed(name, constraints));
    if (outside === undefined) continue;
    const what = `a name of kind ${outside.kind} in certificate ${shown(certificate)}`;
    return refuseChain("NameNotPermitted", `${what} is outside the name constraints of ${shown(issuer)}`);
  }
  return undefined;
}

const NO_CONSTRAINTS: NameConstraints = { permitted: [], excluded: [] };

function isAllowed(name: GeneralName, constraints: NameConstraints): boolean {
  const permitted = constraints.permitted.filter((subtree) => isSameKind(subtree, name));
  const excluded = constraints.excluded.filter((subtree) => isSameKind(subtree, name));
  if (permitted.length + excluded.length === 0) return true;
  if (!isComparable(name)) return false;
  const isPermitted = permitted.length === 0 || permitted.some((subtree) => isWithin(name, subtree));
  return isPermitted && !excluded.some((subtree) => touches(name, subtree));
}

/** Subject, alternative names, and e-mail addresses in the subject where there is no alternative name. */
function constrainedNames(certificate: Certificate): readonly GeneralName[] {
  const altName = findExtension(certificate.extensions, OID_SUBJECT_ALT_NAME);
  const { raw, attributes } = certificate.subject;
  const subject: GeneralName[] = attributes.length === 0 ? [] : [{ kind: "directory", name: raw }];
  if (altName !== undefined) return [...subject, ...parseGeneralNames(altName.value)];
  const emails = attributes.filter(({ oid }) => oid === OID_EMAIL_ADDRESS);
  return [...subject, ...emails.map(({ value }): GeneralName => ({ kind: "email", text: value }))];
}

function isSameKind(subtree: GeneralName, name: GeneralName): boolean {
  if (subtree.kind === "other" && name.kind === "other") return subtree.tag === name.tag;
  return subtree.kind === name.kind;
}

/**
 * A name that has no clear reading, or a kind whose subtrees we do not know, cannot be shown to respect a constraint.
 */
function isComparable(name: GeneralName): boolean {
  switch (name.kind) {
    case "dns":
      return isHostPattern(name.text);
    case "email":
      return parseMailbox(name.text) !== undefined;
    case "uri":
      return uriHost(name.text) !== undefined;
    case "ip":
    case "directory":
      return true;
    case "other":
      return false;
  }
}

function isWithin(name: GeneralName, subtree: GeneralName): boolean {
  if (name.kind === "dns" && subtree.kind === "dns") return isInDomain(name.text, subtree.text);
  if (name.kind === "email" && subtree.kind === "email") return isInMailboxes(name.text, subtree.text);
  if (name.kind === "uri" && subtree.kind === "uri") return isInHosts(uriHost(name.text) ?? "", subtree.text);
  if (name.kind === "ip" && subtree.kind === "ip") return isInRange(name.octets, subtree.octets);
  if (name.kind === "directory" && subtree.kind === "directory") return isBelow(name.name, subtree.name);
  return false;
}

/**
 * Like isWithin, and true for a wildcard that stands for a name within: `*.example.com` could be an excluded host's.
 */
function touches(name: GeneralName, subtree: GeneralName): boolean {
  if (isWithin(name, subtree)) return true;
  if (name.kind !== "dns" || subtree.kind !== "dns" || !name.text.startsWith("*.")) return false;
  const parent = subtree.text.slice(subtree.text.indexOf(".") + 1);
  return parent.toLowerCase() === name.text.slice(2).toLowerCase();
}

function isInDomain(name: string, domain: string): boolean {
  if (domain === "") return true;
  const host = name.toLowerCase();
  const base = domain.toLowerCase();
  return host === base || host.endsWith(`.${base}`);
}

function isInMailboxes(address: string, pattern: string): boolean {
  const mailbox = parseMailbox(address);
  if (mailbox === undefined) return false;
  if (!pattern.includes("@")) return isInHosts(mailbox.host, pattern);
  const wanted = parseMailbox(pattern);
  return wanted !== undefined && mailbox.local === wanted.local && mailbox.host === wanted.host;
}

/** A host stands for itself alone, a leading period for every host below, nothing for all. */
function isInHosts(host: string, pattern: string): boolean {
  if (pattern === "") return true;
  const wanted = pattern.toLowerCase();
  return wanted.startsWith(".") ? host.endsWith(wanted) : host === wanted;
}

function isInRange(address: Uint8Array, range: Uint8Array): boolean {
  if (range.length !== 2 * address.length) return false;
  return address.every((octet, i) => {
    const mask = range[address.length + i] ?? 0;
    return (octet & mask) === ((range[i] ?? 0) & mask);
  });
}

function isBelow(name: Uint8Array, base: Uint8Array): boolean {
  const parts = relativeNamesOf(name);
  return relativeNamesOf(base).every((part, i) => part === parts[i]);
}

// What one validation may cost. A few kilobytes of crafted certificates can describe more paths and more name
// comparisons than can be made; each validation therefore has a budget and is refused when it is spent.

export interface Budget {
  signatureChecks: number;
  nameComparisons: number;
}

/** Go's limit; honest bundles need fewer than ten. */
const SIGNATURE_CHECKS = 100;
/** Go's limit: some milliseconds. */
const NAME_COMPARISONS = 250_000;

export function createBudget(): Budget {
  return { signatureChecks: SIGNATURE_CHECKS, nameComparisons: NAME_COMPARISONS };
}

/** False where the purse does not hold that much. */
export function spend(budget: Budget, kind: keyof Budget, amount: number): boolean {
  if (amount > budget[kind]) {
    budget[kind] = 0;
    return false;
  }
  budget[kind] -= amount;
  return true;
}

// A certificate whose subject is its own issuer: a root, or a step of a CA that changes its key (RFC 5280 §3.2).

export function isSelfIssued({ subject, issuer }: Certificate): boolean {
  return equalBytes(subject.raw, issuer.raw);
}
