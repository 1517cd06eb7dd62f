// Bytes as text: base64, base64url and base32 (RFC 4648), hexadecimal. The strict readers take the one canonical
// spelling of each byte string: padding exactly where it belongs and zero bits in the tail, so that two different texts
// never mean the same bytes. Written without Buffer because the console runs this folder in a browser.

import { Fault } from "../outcome/index.ts";

const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const INVALID = 0xff;
const PAD = 0x3d;

const ASCII = new TextDecoder();
const STANDARD_CODES = codesOf(STANDARD);
const URL_SAFE_CODES = codesOf(URL_SAFE);
const STANDARD_VALUES = valuesOf(STANDARD);
const URL_SAFE_VALUES = valuesOf(URL_SAFE);

export function encodeBase64(bytes: Uint8Array): string {
  const text = encodeWith(STANDARD_CODES, bytes);
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeWith(URL_SAFE_CODES, bytes);
}

export function parseBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0)
    throw new Fault("malformed", "base64 text must be padded to a multiple of four characters");
  return decode(text.slice(0, text.length - paddingOf(text)), { values: STANDARD_VALUES, strictTail: true });
}

export function parseBase64Url(text: string): Uint8Array {
  return decode(text, { values: URL_SAFE_VALUES, strictTail: true });
}

/**
 * Padded base64 whose unused tail bits may be anything: what Go's encoding/base64 accepts, needed to read PEM as Go
 * does.
 */
export function parseBase64Lenient(text: string): Uint8Array {
  if (text.length % 4 !== 0)
    throw new Fault("malformed", "base64 text must be padded to a multiple of four characters");
  return decode(text.slice(0, text.length - paddingOf(text)), { values: STANDARD_VALUES, strictTail: false });
}

function paddingOf(text: string): number {
  if (text.charCodeAt(text.length - 1) !== PAD) return 0;
  return text.charCodeAt(text.length - 2) === PAD ? 2 : 1;
}

/** Into bytes first and then into text at once: a text that grows by a character at a time costs many times as much. */
function encodeWith(alphabet: Uint8Array, bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  const whole = bytes.length - (bytes.length % 3);
  let written = 0;
  for (let offset = 0; offset < whole; offset += 3) {
    const group = (at(bytes, offset) << 16) | (at(bytes, offset + 1) << 8) | at(bytes, offset + 2);
    codes[written] = at(alphabet, group >> 18);
    codes[written + 1] = at(alphabet, (group >> 12) & 63);
    codes[written + 2] = at(alphabet, (group >> 6) & 63);
    codes[written + 3] = at(alphabet, group & 63);
    written += 4;
  }
  if (whole < bytes.length) {
    const group = (at(bytes, whole) << 16) | (at(bytes, whole + 1) << 8);
    codes[written] = at(alphabet, group >> 18);
    codes[written + 1] = at(alphabet, (group >> 12) & 63);
    if (whole + 2 === bytes.length) codes[written + 2] = at(alphabet, (group >> 6) & 63);
  }
  return ASCII.decode(codes);
}

function decode(text: string, rules: { readonly values: Uint8Array; readonly strictTail: boolean }): Uint8Array {
  if (text.length % 4 === 1) throw new Fault("malformed", "base64 text has an impossible length");
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let written = 0;
  for (let i = 0; i < text.length; i++) {
    const value = rules.values[text.charCodeAt(i)] ?? INVALID;
    if (value === INVALID) throw new Fault("malformed", "base64 text has a character outside its alphabet");
    bits = ((bits << 6) | value) & 0xfff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[written++] = (bits >> bitCount) & 0xff;
    }
  }
  if (rules.strictTail && (bits & ((1 << bitCount) - 1)) !== 0) {
    throw new Fault("malformed", "base64 text must end in zero bits");
  }
  return bytes;
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function codesOf(alphabet: string): Uint8Array {
  return Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(INVALID);
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
}

// Base32 (RFC 4648 §6) in lower case and without padding: the form that fits the names of Kubernetes objects and
// labels.

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const octet of bytes) {
    bits = ((bits << 8) | octet) & 0xfff;
    bitCount += 8;
    for (; bitCount >= 5; bitCount -= 5) text += ALPHABET.charAt((bits >> (bitCount - 5)) & 31);
  }
  return bitCount === 0 ? text : text + ALPHABET.charAt((bits << (5 - bitCount)) & 31);
}

// Hexadecimal text: written in lower case, read in both.

/** The two digits of every octet: a third of the time of computing them. */
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, "0"));

export function encodeHex(bytes: Uint8Array): string {
  let text = "";
  for (const octet of bytes) text += PAIRS[octet];
  return text;
}

export function parseHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new Fault("malformed", "hexadecimal text must have an even number of digits");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = (digitValue(text.charCodeAt(2 * i)) << 4) | digitValue(text.charCodeAt(2 * i + 1));
  }
  return bytes;
}

function digitValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  if (lower >= 0x61 && lower <= 0x66) return lower - 0x61 + 10;
  throw new Fault("malformed", "hexadecimal text must have only the digits 0-9 and a-f");
}
