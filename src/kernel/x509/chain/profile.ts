// What must hold for each certificate of a path by its place in it, independent of its signer (RFC 5280 §4, §6.1.3,
// §6.1.4):
//   1. it is valid now                            NotYetValid, Expired
//   2. its key is strong enough                   WeakKey
//   3. its serial number, names and bits agree    ProfileViolated
//   4. no critical extension is unknown to us     UnknownCriticalExtension
//   5. an issuer is a CA that may sign            IssuerIsNotCa
//   6. a CA says which key it has and who signed  ProfileViolated
// Roots are held to the same, but for what CAs that Kubernetes users have in service do differently; see each rule.

import type { Certificate } from "../certificate.ts";
import { findExtension } from "../extensions/extension.ts";
import {
  EKU_ANY,
  OID_AUTHORITY_INFO_ACCESS,
  OID_AUTHORITY_KEY_ID,
  OID_BASIC_CONSTRAINTS,
  OID_CERTIFICATE_POLICIES,
  OID_EXT_KEY_USAGE,
  OID_INHIBIT_ANY_POLICY,
  OID_KEY_USAGE,
  OID_NAME_CONSTRAINTS,
  OID_POLICY_CONSTRAINTS,
  OID_SUBJECT_ALT_NAME,
  OID_SUBJECT_INFO_ACCESS,
  OID_SUBJECT_KEY_ID,
} from "../oids.ts";
import { type ChainRefusal, refuseChain, shown } from "./refusal.ts";

// Extended key usage along a path: as in Go and in every browser, a CA that lists usages can hand on no others.

export function checkUsage(path: readonly Certificate[], usage: string | undefined): ChainRefusal | undefined {
  if (usage === undefined) return undefined;
  for (const certificate of path) {
    const allowed = certificate.extKeyUsage;
    if (allowed === undefined || allowed.includes(usage) || allowed.includes(EKU_ANY)) continue;
    return refuseChain("UsageNotAllowed", `certificate ${shown(certificate)} does not allow usage ${usage}`);
  }
  return undefined;
}

type Place = "leaf" | "intermediate" | "root";

/**
 * Extensions whose meaning this folder applies. Policies count: with every policy acceptable there is nothing to apply.
 */
const APPLIED: ReadonlySet<string> = new Set([
  OID_BASIC_CONSTRAINTS,
  OID_KEY_USAGE,
  OID_EXT_KEY_USAGE,
  OID_SUBJECT_ALT_NAME,
  OID_NAME_CONSTRAINTS,
  OID_CERTIFICATE_POLICIES,
]);
const NEVER_CRITICAL: ReadonlySet<string> = new Set([
  OID_AUTHORITY_KEY_ID,
  OID_SUBJECT_KEY_ID,
  OID_AUTHORITY_INFO_ACCESS,
  OID_SUBJECT_INFO_ACCESS,
]);
const ALWAYS_CRITICAL: ReadonlySet<string> = new Set([
  OID_NAME_CONSTRAINTS,
  OID_POLICY_CONSTRAINTS,
  OID_INHIBIT_ANY_POLICY,
]);

/** NIST SP 800-131A has disallowed less since 2014, and kubeadm never made less. */
const MIN_RSA_BITS = 2048;

export function checkProfile(certificate: Certificate, place: Place, nowMs: number): ChainRefusal | undefined {
  return (
    checkValidity(certificate, nowMs) ??
    checkKeyStrength(certificate) ??
    checkIdentity(certificate, place) ??
    checkCriticality(certificate) ??
    checkCaBits(certificate, place) ??
    checkKeyIds(certificate, place)
  );
}

/** Times have whole seconds: a certificate is valid through the end of its last one. */
function checkValidity(certificate: Certificate, nowMs: number): ChainRefusal | undefined {
  if (nowMs < certificate.notBeforeMs) {
    const from = new Date(certificate.notBeforeMs).toISOString();
    return refuseChain("NotYetValid", `certificate ${shown(certificate)} is not valid before ${from}`);
  }
  if (nowMs >= certificate.notAfterMs + 1000) {
    const until = new Date(certificate.notAfterMs).toISOString();
    return refuseChain("Expired", `certificate ${shown(certificate)} expired at ${until}`);
  }
  return undefined;
}

/** A modulus that is not whole octets comes from a broken generator. */
function checkKeyStrength(certificate: Certificate): ChainRefusal | undefined {
  const { bits } = certificate.publicKey;
  if (bits === undefined || (bits >= MIN_RSA_BITS && bits % 8 === 0)) return undefined;
  const rule = `RSA key must have at least ${MIN_RSA_BITS} bits in whole octets`;
  return refuseChain("WeakKey", `${rule}, certificate ${shown(certificate)} has ${bits}`);
}

function checkIdentity(certificate: Certificate, place: Place): ChainRefusal | undefined {
  const violated = (rule: string) => refuseChain("ProfileViolated", `certificate ${shown(certificate)} ${rule}`);
  // kubeadm's own CAs have had serial number zero for years, and they live for ten.
  if (place !== "root" && certificate.serialNumber.every((octet) => octet === 0))
    return violated("has serial number zero");
  if (certificate.issuer.attributes.length === 0) return violated("has an empty issuer");
  if (certificate.subject.attributes.length > 0) return undefined;
  if (place !== "leaf") return violated("is a CA with an empty subject");
  const altName = findExtension(certificate.extensions, OID_SUBJECT_ALT_NAME);
  return altName?.critical === true ? undefined : violated("has an empty subject and no critical alternative name");
}

function checkCriticality(certificate: Certificate): ChainRefusal | undefined {
  for (const { oid, critical } of certificate.extensions) {
    const isMisplaced = critical ? NEVER_CRITICAL.has(oid) : ALWAYS_CRITICAL.has(oid);
    if (isMisplaced) {
      const must = critical ? "must not" : "must";
      return refuseChain(
        "ProfileViolated",
        `extension ${oid} of certificate ${shown(certificate)} ${must} be critical`,
      );
    }
    if (critical && !APPLIED.has(oid)) {
      return refuseChain("UnknownCriticalExtension", `certificate ${shown(certificate)} has critical extension ${oid}`);
    }
  }
  return undefined;
}

function checkCaBits(certificate: Certificate, place: Place): ChainRefusal | undefined {
  const isCa = certificate.basicConstraints?.ca === true;
  const maySign = certificate.keyUsage?.includes("keyCertSign");
  if (isCa ? maySign === false : maySign === true) {
    return refuseChain("ProfileViolated", `certificate ${shown(certificate)} disagrees with itself on being a CA`);
  }
  if (!isCa && certificate.nameConstraints !== undefined) {
    return refuseChain("ProfileViolated", `certificate ${shown(certificate)} has name constraints and is no CA`);
  }
  if (place === "leaf") return undefined;
  if (!isCa) return refuseChain("IssuerIsNotCa", `issuer ${shown(certificate)} is not a CA`);
  return place === "root" ? undefined : checkCriticalBasicConstraints(certificate);
}

/**
 * RFC 5280 §4.2.1.1 and §4.2.1.2, of what stands between leaf and root. A root is trusted because the operator gave it:
 * those that kubeadm made with Go before 1.15 have no key identifiers and live until 2030. Leaves: see checkAuthority
 * in search.ts.
 */
function checkKeyIds(certificate: Certificate, place: Place): ChainRefusal | undefined {
  const { authorityKeyId, subjectKeyId } = certificate;
  if (place !== "intermediate" || (authorityKeyId !== undefined && subjectKeyId !== undefined)) return undefined;
  return refuseChain(
    "ProfileViolated",
    `intermediate ${shown(certificate)} does not identify its key and its issuer's`,
  );
}

/**
 * Not of roots: easy-rsa, which the Kubernetes documentation names, writes theirs non-critical. It is applied all the
 * same.
 */
function checkCriticalBasicConstraints(certificate: Certificate): ChainRefusal | undefined {
  const isCritical = findExtension(certificate.extensions, OID_BASIC_CONSTRAINTS)?.critical === true;
  if (isCritical) return undefined;
  return refuseChain("ProfileViolated", `basic constraints of intermediate ${shown(certificate)} must be critical`);
}
