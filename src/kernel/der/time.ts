// Times of a certificate (RFC 5280 §4.1.2.5): UTCTime from 1950 to 2049, GeneralizedTime for every other year, both to
// the second, in Zulu, without fractions. Any other spelling of the same moment is refused.
import { Fault } from "../outcome/index.ts";
import type { DerReader } from "./reader.ts";
import { TAG } from "./tags.ts";
import { encodeTlv } from "./writer.ts";

const FIRST_UTC_YEAR = 1950;
const LAST_UTC_YEAR = 2049;
const ZERO = 0x30;
const UPPER_Z = 0x5a;

export function readTimeMs(reader: DerReader): number {
  const isUtc = reader.nextTag === TAG.utcTime;
  const content = reader.read(isUtc ? TAG.utcTime : TAG.generalizedTime);
  const yearDigits = isUtc ? 2 : 4;
  if (content.length !== yearDigits + 11 || content[content.length - 1] !== UPPER_Z) {
    throw new Fault("malformed", "certificate time must be YYMMDDHHMMSSZ or YYYYMMDDHHMMSSZ");
  }
  const written = isUtc ? pairAt(content, 0) : pairAt(content, 0) * 100 + pairAt(content, 2);
  const year = isUtc ? written + (written < 50 ? 2000 : 1900) : written;
  if (!isUtc && isUtcYear(year)) throw new Fault("malformed", `certificate time in ${year} must be a UTCTime`);
  return momentMs(year, content.subarray(yearDigits));
}

function momentMs(year: number, rest: Uint8Array): number {
  const month = pairAt(rest, 0);
  const day = pairAt(rest, 2);
  const hour = pairAt(rest, 4);
  const minute = pairAt(rest, 6);
  const second = pairAt(rest, 8);
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC rolls 30 February over to March, 24:00 to the next day, and reads the years 0 to 99 as 1900 to 1999: what
  // comes back changed was no moment of the calendar.
  const isUnchanged =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24;
  if (!isUnchanged || minute > 59 || second > 59) {
    throw new Fault("malformed", "certificate time must be a moment of the calendar");
  }
  return date.getTime();
}

function pairAt(content: Uint8Array, offset: number): number {
  return digitAt(content, offset) * 10 + digitAt(content, offset + 1);
}

function digitAt(content: Uint8Array, offset: number): number {
  const digit = (content[offset] ?? 0) - ZERO;
  if (digit < 0 || digit > 9) throw new Fault("malformed", "certificate time must have only digits before its Z");
  return digit;
}

/** Whole seconds: a fraction is cut off. */
export function encodeTime(ms: number): Uint8Array {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) {
    throw new Fault("invalid", `certificate time must be in the years 0 to 9999, got ${ms}`);
  }
  const isUtc = isUtcYear(year);
  const pairs = isUtc ? [year % 100] : [Math.floor(year / 100), year % 100];
  pairs.push(date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds());
  const content = new Uint8Array(pairs.length * 2 + 1);
  let offset = 0;
  for (const pair of pairs) {
    content[offset++] = ZERO + Math.floor(pair / 10);
    content[offset++] = ZERO + (pair % 10);
  }
  content[offset] = UPPER_Z;
  return encodeTlv(isUtc ? TAG.utcTime : TAG.generalizedTime, [content]);
}

function isUtcYear(year: number): boolean {
  return year >= FIRST_UTC_YEAR && year <= LAST_UTC_YEAR;
}
