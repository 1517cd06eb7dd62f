// X.509-SVIDs (SPIFFE, X509-SVID.md): a leaf that is no CA, with exactly one URI among its names, chained to the trust
// domain's bundle. Node's own X.509 reads and verifies; the time is the question's.
import { X509Certificate } from "node:crypto";

/** SPIRE sends a leaf and rarely more than two intermediates. */
const MAX_CHAIN = 5;
const SPIFFE_ID = /^spiffe:\/\/([a-z0-9._-]{1,255})((?:\/[A-Za-z0-9._-]+)+)$/;
const MAX_ID_CHARACTERS = 512;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

interface SpiffeId {
  readonly text: string;
  readonly trustDomain: string;
  readonly path: string;
}

export function parseSpiffeId(text: string): SpiffeId | undefined {
  const [, trustDomain, path] = (text.length <= MAX_ID_CHARACTERS && SPIFFE_ID.exec(text)) || [];
  if (trustDomain === undefined || path === undefined) return undefined;
  return /\/\.{1,2}(\/|$)/.test(path) ? undefined : { text, trustDomain, path };
}

/** The one URI of a certificate. Node quotes a name that contains what separates names: such a one is refused. */
export function spiffeIdOf(certificate: X509Certificate): SpiffeId | undefined {
  const names = (certificate.subjectAltName ?? "").split(", ");
  const [uri, second] = names.filter((name) => name.startsWith("URI:"));
  if (uri === undefined || second !== undefined || names.some((name) => name.includes('"'))) return undefined;
  return parseSpiffeId(uri.slice("URI:".length));
}

export function parsePemCertificates(pem: string): readonly X509Certificate[] {
  return [...pem.matchAll(PEM)].map(([block]) => new X509Certificate(block));
}

/** Leaf first; undefined where one of them is no certificate. */
export function parseChain(chain: readonly Uint8Array[]): readonly X509Certificate[] | undefined {
  if (chain.length === 0 || chain.length > MAX_CHAIN) return undefined;
  try {
    const certificates = chain.map((der) => new X509Certificate(der));
    // A parser that skips what stands behind a certificate would let a proof be varied.
    return certificates.every(({ raw }, at) => raw.equals(chain[at] ?? Buffer.alloc(0))) ? certificates : undefined;
  } catch (failure) {
    if (failure instanceof Error) return undefined;
    throw failure;
  }
}

/** Why a chain does not lead to the bundle now; undefined: it does. */
export function chainProblem(
  chain: readonly X509Certificate[],
  bundle: readonly X509Certificate[],
  nowMs: number,
): string | undefined {
  const [leaf, ...authorities] = chain;
  if (leaf === undefined || leaf.ca) return "the first certificate must be a leaf";
  if (authorities.some(({ ca }) => !ca)) return "a certificate behind the leaf is no authority";
  const outOfTime = chain.find((certificate) => !isInTime(certificate, nowMs));
  if (outOfTime !== undefined) return "a certificate of the chain is out of its time";
  const broken = authorities.some((issuer, at) => !isIssuedBy(chain[at] ?? leaf, issuer));
  if (broken) return "a certificate of the chain is not signed by the next one";
  const last = chain.at(-1) ?? leaf;
  const anchor = bundle.find((root) => root.ca && isInTime(root, nowMs) && isIssuedBy(last, root));
  return anchor === undefined ? "the chain does not lead to the trust domain's bundle" : undefined;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isInTime({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}
