// HMAC-SHA-256 signatures over bytes in JOSE's compact spelling (RFC 7515 §7.1, RFC 7518 §3.2): what the tokens and the
// detached signatures of this folder stand on. The algorithm is never chosen by the sender: a header that says anything
// but HS256 is not read further, so neither `none` nor a public key in the place of the secret can pass.

import { equalBytes, parseBase64Url, parseUtf8 } from "../bytes/index.ts";
import { hmacSha256, nativeBase64Url } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";

/** A bootstrap token's secret is text; keys of other origin are bytes. */
export type Hs256Key = string | Uint8Array;

/** A header of ours is 40 characters; 1 KiB leaves room for another issuer's fields. */
const MAX_HEADER_CHARACTERS = 1_024;
/** 32 bytes in base64url without padding. */
const MAC_CHARACTERS = 43;

export function signHs256(signingInput: string, key: Hs256Key): string {
  return nativeBase64Url(macOf(signingInput, key));
}

/** Constant time. False for a MAC of any other length: a truncated one is not accepted (RFC 7518 §3.2). */
export function verifyHs256(signingInput: string, mac: Uint8Array, key: Hs256Key): boolean {
  return equalBytes(mac, macOf(signingInput, key));
}

interface Hs256Header {
  readonly keyId: string | undefined;
  readonly type: string | undefined;
  /** Every member of the protected header, those of other names too. */
  readonly fields: JsonRecord;
}

/** Some tokens are in use at a time, each with one header; more than this many are made up by an attacker. */
const MAX_KNOWN_HEADERS = 64;

/**
 * A header means the same for ever, and all that one token signs has the same: each is read once. Only good ones are
 * kept.
 */
const knownHeaders = new Map<string, Hs256Header>();

/** Fault `malformed`, `limit-exceeded`, or `unsupported` for another algorithm or a critical field. */
export function parseHs256Header(part: string, what: string): Hs256Header {
  const known = knownHeaders.get(part);
  if (known !== undefined) return known;
  const header = readHeader(part, what);
  if (knownHeaders.size === MAX_KNOWN_HEADERS) knownHeaders.clear();
  knownHeaders.set(part, header);
  return header;
}

function readHeader(part: string, what: string): Hs256Header {
  if (part.length > MAX_HEADER_CHARACTERS) {
    throw new Fault("limit-exceeded", `${what} header is longer than ${MAX_HEADER_CHARACTERS} characters`);
  }
  const header = parseUniqueRecord(parseText(parsePart(part, `${what} header`), `${what} header`), `${what} header`);
  const { alg, crit, b64 } = header as { alg?: unknown; crit?: unknown; b64?: unknown };
  if (alg !== "HS256") throw new Fault("unsupported", `${what} must be signed with HS256, not ${spell(alg)}`);
  // RFC 7515 §4.1.11: what is critical and not understood makes it invalid, and nothing is understood here. RFC 7797's
  // b64 without crit would be read in two ways.
  if (crit !== undefined || b64 !== undefined) {
    throw new Fault("unsupported", `${what} must not have critical header fields`);
  }
  return { keyId: textField(header, "kid", what), type: textField(header, "typ", what), fields: header };
}

/** A JWS in the compact form, parsed, and not verified until `verifyHs256` returns true. */
interface UnverifiedHs256 extends Hs256Header {
  readonly payload: Uint8Array;
  readonly signingInput: string;
  readonly mac: Uint8Array;
}

/** Exactly three parts, each in the one canonical base64url. Faults as of `parseHs256Header`. */
export function parseCompactHs256(text: string, what: string): UnverifiedHs256 {
  const [head, body, tail, ...more] = text.split(".", 4);
  if (head === undefined || body === undefined || tail === undefined || more.length > 0) {
    throw new Fault("malformed", `${what} must have three parts`);
  }
  return {
    ...parseHs256Header(head, what),
    payload: parsePart(body, `${what} payload`),
    signingInput: `${head}.${body}`,
    mac: parseMac(tail, what),
  };
}

export function parseMac(part: string, what: string): Uint8Array {
  if (part.length !== MAC_CHARACTERS) {
    throw new Fault("malformed", `${what} signature must have ${MAC_CHARACTERS} characters, not ${part.length}`);
  }
  return parsePart(part, `${what} signature`);
}

export function parseText(bytes: Uint8Array, what: string): string {
  try {
    return parseUtf8(bytes);
  } catch (cause) {
    throw new Fault("malformed", `${what} must be UTF-8`, { cause });
  }
}

function parsePart(part: string, what: string): Uint8Array {
  try {
    return parseBase64Url(part);
  } catch (cause) {
    throw new Fault("malformed", `${what} must be base64url without padding`, { cause });
  }
}

function textField(header: JsonRecord, name: string, what: string): string | undefined {
  const value = Object.hasOwn(header, name) ? header[name] : undefined;
  if (value !== undefined && typeof value !== "string") {
    throw new Fault("malformed", `${what} header field ${name} must be a string`);
  }
  return value;
}

/** Untrusted text, short enough for a message. */
function spell(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 32) ?? "nothing";
}

function macOf(signingInput: string, key: Hs256Key): Uint8Array {
  return hmacSha256(key, signingInput);
}

// A JSON object in which no name stands twice, at any depth. RFC 7515 §4 and RFC 7519 §4 let a reader refuse repeated
// names; JSON.parse keeps the last one silently, so that two readers of one token could see two different tokens.

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Strings, and the marks that open, close or divide; everything else (numbers, words, spaces) says nothing about names.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Fault `malformed`; `what` names the text in the message. */
export function parseUniqueRecord(text: string, what: string): JsonRecord {
  const value = parseJson(text, what);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("malformed", `${what} must be a JSON object`);
  }
  // A text that is written again as it was has lost nothing, so no name stood twice; only others are looked through.
  if (JSON.stringify(value) !== text && hasRepeatedName(text))
    throw new Fault("malformed", `${what} must not have a name twice`);
  return value as JsonRecord;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault("malformed", `${what} must be JSON`, { cause });
  }
}

/** Only for text that JSON.parse has taken: a string before a colon is a name, and names stand in objects alone. */
function hasRepeatedName(text: string): boolean {
  const open: Set<string>[] = [];
  let last = "";
  for (const [mark] of text.matchAll(TOKEN)) {
    if (mark === "{" || mark === "[") open.push(new Set());
    else if (mark === "}" || mark === "]") open.pop();
    else if (mark === ":") {
      const names = open.at(-1);
      const name = JSON.parse(last) as string;
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
    last = mark;
  }
  return false;
}
