// JSON Web Tokens that a shared secret signs (RFC 7519, HS256): what a client with a bootstrap token shows instead of
// the token (super simple discovery API). Reading is strict: exactly three parts, header fields of one meaning each, no
// name twice. Which claims must hold, and until when, is the caller's to judge.

import { nativeBase64Url } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";
import { type Hs256Key, parseCompactHs256, parseText, parseUniqueRecord, signHs256, verifyHs256 } from "./hs256.ts";
import type { JwtClaims } from "./jwt.ts";

/** Six short claims are some 200 characters; anything longer is another kind of token. */
const MAX_CHARACTERS = 4_096;
const WHAT = "JWT";

interface Hs256JwtTemplate {
  readonly keyId: string;
  readonly secret: Hs256Key;
  readonly claims: JwtClaims;
}

/** Header exactly {"alg":"HS256","typ":"JWT","kid":"<id>"}; claims in the order given. */
export function signHs256Jwt({ keyId, secret, claims }: Hs256JwtTemplate): string {
  const part = (value: unknown) => nativeBase64Url(JSON.stringify(value));
  const signed = `${part({ alg: "HS256", typ: "JWT", kid: keyId })}.${part(claims)}`;
  return `${signed}.${signHs256(signed, secret)}`;
}

/** Parsed, and not verified until `verifyHs256Jwt` returns true. */
export interface UnverifiedHs256Jwt {
  /** `kid`: which secret the sender says it has. */
  readonly keyId: string;
  readonly claims: JwtClaims;
  readonly signingInput: string;
  readonly mac: Uint8Array;
}

/** Fault `malformed`, `unsupported` (another algorithm or type, a critical header field) or `limit-exceeded`. */
export function parseHs256Jwt(text: string): UnverifiedHs256Jwt {
  if (text.length > MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `${WHAT} is longer than ${MAX_CHARACTERS} characters`);
  }
  const { type, keyId, payload, signingInput, mac } = parseCompactHs256(text, WHAT);
  // RFC 8725 §3.11: a detached signature or any other JWS of the same secret must not pass for a token.
  if (type !== "JWT") throw new Fault("unsupported", `${WHAT} header field typ must be JWT`);
  if (keyId === undefined) throw new Fault("malformed", `${WHAT} header field kid is missing`);
  const claims = parseUniqueRecord(parseText(payload, `${WHAT} payload`), `${WHAT} payload`);
  return { keyId, claims, signingInput, mac };
}

/** Constant time. */
export function verifyHs256Jwt(jwt: UnverifiedHs256Jwt, secret: Hs256Key): boolean {
  return verifyHs256(jwt.signingInput, jwt.mac, secret);
}
