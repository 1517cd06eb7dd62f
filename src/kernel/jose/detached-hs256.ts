// Detached JWS (RFC 7515 appendix F, HS256), `<header>..<mac>`, in two uses that share the key. In the ConfigMap
// cluster-info kubeadm compares the whole text with the one it computes, so there header bytes and spelling are part of
// it. In the header X-Kubernetes-JWS (super simple discovery API) it is read as any JWS: protected header, key id and
// MAC are looked at one by one. The protected header is part of what the MAC covers: two uses with different headers
// can never pass for each other.

import { encodeUtf8, equalBytes } from "../bytes/index.ts";
import { nativeBase64Url } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";
import { type Hs256Key, parseHs256Header, parseMac, signHs256, verifyHs256 } from "./hs256.ts";

/** Header and MAC of ours are 90 or 330 characters; a longer header is limited where it is read. */
const MAX_CHARACTERS = 2_048;
const WHAT = "JWS";

interface DetachedHs256 {
  readonly keyId: string;
  readonly secret: Hs256Key;
  /** The exact bytes that are signed; text is taken as UTF-8. */
  readonly content: string | Uint8Array;
  /** More members of the protected header, after `alg` and `kid`. None: kubeadm's form, byte for byte. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** `<header>..<mac>` with the header exactly {"alg":"HS256","kid":"<id>"} and the fields given, in their order. */
export function signDetachedHs256({ keyId, secret, content, fields }: DetachedHs256): string {
  const header = nativeBase64Url(JSON.stringify({ alg: "HS256", kid: keyId, ...fields }));
  return `${header}..${signHs256(signingInputOf(header, content), secret)}`;
}

/** The one spelling that `signDetachedHs256` writes, as kubeadm compares it. */
export function verifyDetachedHs256({ jws, ...signed }: DetachedHs256 & { readonly jws: string }): boolean {
  return equalBytes(encodeUtf8(jws), encodeUtf8(signDetachedHs256(signed)));
}

/** Parsed, and not verified until `verifyParsedDetachedHs256` returns true. */
export interface UnverifiedDetachedHs256 {
  readonly keyId: string | undefined;
  /** Every member of the protected header. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly header: string;
  readonly mac: Uint8Array;
}

/** Fault `malformed`, `unsupported` (another algorithm, a critical header field) or `limit-exceeded`. */
export function parseDetachedHs256(jws: string): UnverifiedDetachedHs256 {
  if (jws.length > MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `${WHAT} is longer than ${MAX_CHARACTERS} characters`);
  }
  const [header, content, tail, ...more] = jws.split(".");
  if (header === undefined || content !== "" || tail === undefined || more.length > 0) {
    throw new Fault("malformed", `${WHAT} must be of the detached form <header>..<signature>`);
  }
  const { keyId, fields } = parseHs256Header(header, WHAT);
  return { keyId, fields, header, mac: parseMac(tail, WHAT) };
}

/** Constant time. */
export function verifyParsedDetachedHs256(
  jws: UnverifiedDetachedHs256,
  { secret, content }: Pick<DetachedHs256, "secret" | "content">,
): boolean {
  return verifyHs256(signingInputOf(jws.header, content), jws.mac, secret);
}

function signingInputOf(header: string, content: string | Uint8Array): string {
  return `${header}.${nativeBase64Url(content)}`;
}
