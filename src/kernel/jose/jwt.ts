// JSON Web Tokens with an asymmetric signature (RFC 7519, RFC 7515 compact form, RFC 7518 §3.3 and §3.4): what
// Kubernetes' service accounts carry. The list of algorithms is closed, and each belongs to one kind of key: a token
// cannot choose how it is checked. `none` and the HMACs are not on the list, so a public key is never mistaken for a
// shared secret.

import { concatBytes, encodeBase64Url, encodeUtf8, parseBase64Url, parseUtf8 } from "../bytes/index.ts";
import { type Curve, type SignatureAlgorithm, sha256 } from "../crypto/index.ts";
import { encodeSequence, encodeUnsigned, readUnsigned, readWholeSequence } from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import type { PublicKey, Signer } from "../x509/index.ts";

/** A service account's token is some 1,200 characters; one with many audiences stays far below. */
const MAX_JWT_CHARACTERS = 16_384;

export type JwtAlgorithm = "RS256" | "ES256" | "ES384" | "ES512";

interface AlgorithmFacts {
  readonly signature: SignatureAlgorithm;
  /** Present for EC: the curve, and the length of each half of the signature. */
  readonly curve?: Curve;
  readonly octets?: number;
}

const ALGORITHMS: Readonly<Record<JwtAlgorithm, AlgorithmFacts>> = {
  RS256: { signature: "RSA-PKCS1-SHA256" },
  ES256: { signature: "ECDSA-SHA256", curve: "P-256", octets: 32 },
  ES384: { signature: "ECDSA-SHA384", curve: "P-384", octets: 48 },
  ES512: { signature: "ECDSA-SHA512", curve: "P-521", octets: 66 },
};

export type JwtClaims = Readonly<Record<string, unknown>>;

/** Parsed and not verified: every field is what the sender wrote. */
interface UnverifiedJws {
  readonly algorithm: JwtAlgorithm;
  readonly keyId: string | undefined;
  readonly payload: Uint8Array;
  readonly signedBytes: Uint8Array;
  readonly signature: Uint8Array;
}

export interface UnverifiedJwt extends UnverifiedJws {
  readonly claims: JwtClaims;
}

/**
 * Three parts between two dots. For callers that see every credential: a Fault, with its stack, costs more than all
 * other checks.
 */
export function hasJwtForm(token: string): boolean {
  const first = token.indexOf(".");
  const second = token.indexOf(".", first + 1);
  return first !== -1 && second !== -1 && token.indexOf(".", second + 1) === -1;
}

/** Fault `malformed`, `unsupported` (another algorithm, a critical header) or `limit-exceeded`. */
export function decodeUnverifiedJwt(token: string): UnverifiedJwt {
  const jws = decodeUnverifiedJws(token);
  return { ...jws, claims: parseRecord(jws.payload, "payload") };
}

/** The compact form around any payload (RFC 7515 §7.1). Faults as above. */
export function decodeUnverifiedJws(token: string): UnverifiedJws {
  if (token.length > MAX_JWT_CHARACTERS) {
    throw new Fault("limit-exceeded", `JWT is longer than ${MAX_JWT_CHARACTERS} characters`);
  }
  if (!hasJwtForm(token)) throw new Fault("malformed", "JWT must have three parts");
  const [head = "", body = "", tail = ""] = token.split(".");
  const header = parseRecord(parseBase64Url(head), "header");
  const { alg, kid, crit } = header as { alg?: unknown; kid?: unknown; crit?: unknown };
  if (typeof alg !== "string" || !Object.hasOwn(ALGORITHMS, alg)) {
    throw new Fault("unsupported", `JWT must be signed with one of ${Object.keys(ALGORITHMS).join(", ")}`);
  }
  // RFC 7515 §4.1.11: what is critical and not understood makes the token invalid. Nothing is understood here.
  if (crit !== undefined) throw new Fault("unsupported", "JWT must not have critical header fields");
  if (kid !== undefined && typeof kid !== "string") throw new Fault("malformed", "JWT key id must be a string");
  return {
    algorithm: alg as JwtAlgorithm,
    keyId: kid,
    payload: parseBase64Url(body),
    signedBytes: encodeUtf8(`${head}.${body}`),
    signature: parseBase64Url(tail),
  };
}

function parseRecord(bytes: Uint8Array, name: string): JwtClaims {
  let value: unknown;
  try {
    value = JSON.parse(parseUtf8(bytes));
  } catch (cause) {
    throw new Fault("malformed", `JWT ${name} must be JSON in base64url`, { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("malformed", `JWT ${name} must be a JSON object`);
  }
  return value as JwtClaims;
}

/** False for a wrong signature, and for a key that is not of the algorithm's kind or curve. */
export function verifyJwt(jwt: UnverifiedJws, key: PublicKey): boolean {
  const { signature: algorithm, curve, octets } = ALGORITHMS[jwt.algorithm];
  if (curve !== key.curve) return false;
  const signature = octets === undefined ? jwt.signature : derFromRaw(jwt.signature, octets);
  return signature !== undefined && key.verifier.verify({ algorithm, bytes: jwt.signedBytes, signature });
}

interface JwtTemplate {
  readonly keyId: string;
  readonly claims: JwtClaims;
}

/**
 * Header exactly {"alg":…,"kid":…}, claims with their keys sorted, as Go writes them. Fault `unsupported` for other
 * keys.
 */
export function signJwt({ keyId, claims }: JwtTemplate, signer: Signer): string {
  const [alg, { octets }] = algorithmOf(signer);
  const part = (value: unknown) => encodeBase64Url(encodeUtf8(JSON.stringify(value)));
  const signed = `${part({ alg, kid: keyId })}.${part(sorted(claims))}`;
  const signature = signer.sign(encodeUtf8(signed));
  return `${signed}.${encodeBase64Url(octets === undefined ? signature : rawFromDer(signature, octets))}`;
}

/** The algorithm that this key's tokens have. RSA above 2048 bits signs with longer hashes here, which RS256 is not. */
export function jwtAlgorithmOf(signer: Signer): JwtAlgorithm {
  return algorithmOf(signer)[0];
}

function algorithmOf(signer: Signer): readonly [JwtAlgorithm, AlgorithmFacts] {
  for (const [name, facts] of Object.entries(ALGORITHMS)) {
    if (facts.signature === signer.algorithm) return [name as JwtAlgorithm, facts];
  }
  throw new Fault("unsupported", "a token signing key must be RSA-2048 or EC on P-256, P-384 or P-521");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

// The two spellings of an ECDSA signature: X.509 and OpenSSL write SEQUENCE { r, s } in DER, JOSE writes r and s side
// by side, each as long as the curve's field (RFC 7518 §3.4).

/** Undefined when the length is not twice that of a half: no other spelling of a signature is accepted. */
function derFromRaw(raw: Uint8Array, octets: number): Uint8Array | undefined {
  if (raw.length !== 2 * octets) return undefined;
  return encodeSequence([encodeUnsigned(raw.subarray(0, octets)), encodeUnsigned(raw.subarray(octets))]);
}

function rawFromDer(der: Uint8Array, octets: number): Uint8Array {
  return readWholeSequence(der, (content) => {
    const halves = [readUnsigned(content), readUnsigned(content)];
    return concatBytes(halves.map((half) => concatBytes([new Uint8Array(octets - half.length), half])));
  });
}

// Public keys as JSON Web Keys (RFC 7517, RFC 7518 §6), and the key id Kubernetes gives them.

type Jwk = Readonly<Record<string, string>>;

/** base64url of SHA-256 over the SubjectPublicKeyInfo. */
export function keyIdOf(key: PublicKey): string {
  return encodeBase64Url(sha256(key.spki));
}

/** `kty` and the numbers of the key. Fault `unsupported` for Ed25519, which service account tokens never use. */
export function jwkOf(key: PublicKey): Jwk {
  if (key.algorithm === "RSA") {
    return readWholeSequence(key.keyBytes, (content) => {
      const [n, e] = [readUnsigned(content), readUnsigned(content)];
      return { kty: "RSA", n: encodeBase64Url(n), e: encodeBase64Url(e) };
    });
  }
  if (key.curve === undefined) throw new Fault("unsupported", "only RSA and EC keys are published");
  // The uncompressed point: a 4, then x and y of equal length.
  const half = (key.keyBytes.length - 1) / 2;
  const [x, y] = [key.keyBytes.subarray(1, 1 + half), key.keyBytes.subarray(1 + half)];
  return { kty: "EC", crv: key.curve, x: encodeBase64Url(x), y: encodeBase64Url(y) };
}
