// Where our answer differs from x509-limbo's on purpose, each case with its reason. The test pins these answers too: a
// case that starts to agree with the data must leave the list.

/** Not run at all. */
export const LEFT_OUT: ReadonlyMap<string, string> = listed([
  [
    "revocation lists: Kubernetes has none; a node's certificate is short-lived and its identity is revoked as an object",
    [
      "crl::revoked-certificate-with-crl",
      "crl::crlnumber-missing",
      "crl::certificate-not-on-crl",
      "crl::certificate-serial-on-crl-different-issuer",
      "crl::crlnumber-critical",
      "crl::issuer-missing-crlsign",
      "crl::issuer-no-keyusage-extension",
      "crl::issuer-valid-crlsign-and-keycertsign",
    ],
  ],
]);

/**
 * Refused by the data for a policy that is not ours. None of them lets a certificate speak for what its issuer did not
 * sign.
 */
export const ACCEPTED_ON_PURPOSE: ReadonlyMap<string, string> = listed([
  [
    "a trust anchor is taken as the operator gave it (RFC 5280 §6.1.1 d); CAs made by Go before 1.15, and so by kubeadm, have no key identifier and live until 2030",
    ["rfc5280::ski::root-missing-ski"],
  ],
  [
    "a trust anchor again; contradicts cve::cve-2024-0567, whose anchor has no such identifier either and is accepted",
    ["rfc5280::aki::cross-signed-root-missing-aki"],
  ],
  [
    "a trust anchor again: easy-rsa, which the Kubernetes documentation names, writes a root's basic constraints non-critical; they are applied all the same",
    ["rfc5280::root-non-critical-basic-constraints"],
  ],
  [
    "CA/Browser Forum profile of a root's authority key identifier: key identifiers only order the search, the signature decides; easy-rsa writes all fields",
    [
      "webpki::aki::root-with-aki-missing-keyidentifier",
      "webpki::aki::root-with-aki-all-fields",
      "webpki::aki::root-with-aki-ski-mismatch",
    ],
  ],
  [
    "CA/Browser Forum rule that the common name repeats an alternative name: in Kubernetes the common name is a user and is never matched with a host",
    [
      "webpki::cn::ipv4-hex-mismatch",
      "webpki::cn::ipv4-leading-zeros-mismatch",
      "webpki::cn::ipv6-uppercase-mismatch",
      "webpki::cn::ipv6-uncompressed-mismatch",
      "webpki::cn::ipv6-non-rfc5952-mismatch",
      "webpki::cn::punycode-not-in-san",
      "webpki::cn::utf8-vs-punycode-mismatch",
      "webpki::cn::not-in-san",
      "webpki::cn::case-mismatch",
    ],
  ],
  [
    "CA/Browser Forum profile of extended key usage; RFC 5280 and Kubernetes accept these forms (rfc5280::eku::ee-without-eku even asks for it)",
    [
      "webpki::eku::ee-anyeku",
      "webpki::eku::ee-critical-eku",
      "webpki::eku::ee-without-eku",
      "webpki::eku::root-has-eku",
    ],
  ],
  [
    "needs the public suffix list, which says nothing about the private names of a cluster",
    [
      "webpki::san::public-suffix-wildcard-san",
      "webpki::san::public-suffix-multi-label-wildcard-san",
      "webpki::san::public-suffix-private-namespace-wildcard-san",
    ],
  ],
  [
    "CA/Browser Forum rule; endorsement certificates of TPMs have a critical alternative name beside a subject",
    ["webpki::san::san-critical-with-nonempty-subject"],
  ],
  ["contradicts rfc5280::ca-as-leaf, which is accepted", ["webpki::ca-as-leaf"]],
]);

/** Accepted by the data. */
export const REFUSED_ON_PURPOSE: ReadonlyMap<string, string> = listed([
  [
    "contradicts rfc5280::nc::permitted-dns-match-noncritical, which is refused",
    ["webpki::nc::permitted-dns-match-noncritical"],
  ],
]);

function listed(groups: readonly (readonly [reason: string, ids: readonly string[]])[]): ReadonlyMap<string, string> {
  return new Map(groups.flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)));
}
