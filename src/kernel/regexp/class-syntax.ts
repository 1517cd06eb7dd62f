// The two ways to write a set of characters: in brackets, and as a backslash with a letter.

import { Fault } from "../outcome/index.ts";
import {
  type CharacterClass,
  classOf,
  complement,
  PERL_CLASSES,
  POSIX_CLASSES,
  type Ranges,
  unicodeProperty,
} from "./character-class.ts";

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const HEX = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/;
const OCTAL = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/;
const PROPERTY = /^\\([pP])(?:\{(\^?)([^}]*)\}|([A-Za-z]))/;

/** At a backslash: \d, \pL, \x41, \n, \. */
export function classAfterEscape(reader: Reader): CharacterClass {
  const letter = reader.text.charAt(reader.at + 1);
  const perl = PERL_CLASSES[letter.toLowerCase()];
  if (perl !== undefined) {
    take(reader, 2);
    return classOf(letter === letter.toLowerCase() ? perl : complement(perl));
  }
  const property = PROPERTY.exec(rest(reader));
  if (property !== null) {
    take(reader, property[0].length);
    const isNegated = (property[1] === "P") !== (property[2] === "^");
    const test = unicodeProperty(property[3] ?? property[4] ?? "", isNegated);
    if (test === undefined) throw regexpFault(`invalid character class range: \`${property[0]}\``);
    return classOf([], { properties: [test] });
  }
  const point = escapedPoint(reader);
  return classOf([point, point]);
}

function escapedPoint(reader: Reader): number {
  const text = rest(reader);
  const hex = HEX.exec(text);
  if (hex !== null) return taken(reader, hex[0], Number.parseInt(hex[1] ?? hex[2] ?? "", 16));
  const octal = OCTAL.exec(text);
  if (octal !== null) return taken(reader, octal[0], Number.parseInt(octal[1] ?? "", 8));
  const letter = text.charAt(1);
  const control = CONTROLS[letter];
  if (control !== undefined) return taken(reader, text.slice(0, 2), control);
  if (letter === "") throw regexpFault("trailing backslash at end of expression: ``");
  if (/[A-Za-z0-9]/.test(letter) || letter.charCodeAt(0) >= 0x80) {
    throw regexpFault(`invalid escape sequence: \`${text.slice(0, 2)}\``);
  }
  return taken(reader, text.slice(0, 2), letter.charCodeAt(0));
}

function taken(reader: Reader, text: string, point: number): number {
  if (point > 0x10ffff) throw regexpFault(`invalid escape sequence: \`${text}\``);
  take(reader, text.length);
  return point;
}

const POSIX = /^\[:(\^?)([a-z]+):\]/;

export function parseBracketClass(reader: Reader, ignoresCase: boolean): CharacterClass {
  const start = reader.at;
  take(reader, 1);
  const isNegated = isAt(reader, "^");
  if (isNegated) take(reader, 1);
  const ranges: number[] = [];
  const properties: ((character: string) => boolean)[] = [];
  for (let isFirst = true; isFirst || !isAt(reader, "]"); isFirst = false) {
    if (reader.at >= reader.text.length) throw regexpFault(`missing closing ]: \`${reader.text.slice(start)}\``);
    const member = parseMember(reader);
    ranges.push(...member.ranges);
    properties.push(...member.properties);
  }
  take(reader, 1);
  return classOf(ranges, { properties, isNegated, ignoresCase });
}

function parseMember(reader: Reader): { readonly ranges: Ranges; readonly properties: CharacterClass["properties"] } {
  const posix = POSIX.exec(rest(reader));
  if (posix !== null) {
    const [, , name = ""] = posix;
    const ranges = Object.hasOwn(POSIX_CLASSES, name) ? POSIX_CLASSES[name] : undefined;
    if (ranges === undefined) throw regexpFault(`invalid character class range: \`${posix[0]}\``);
    take(reader, posix[0].length);
    return { ranges: posix[1] === "^" ? complement(ranges) : ranges, properties: [] };
  }
  if (isAt(reader, "\\") && /[dswDSWpP]/.test(reader.text.charAt(reader.at + 1))) return classAfterEscape(reader);
  return { ranges: parseRange(reader), properties: [] };
}

function parseRange(reader: Reader): Ranges {
  const start = reader.at;
  const first = parsePoint(reader);
  const next = reader.text.charAt(reader.at + 1);
  if (!isAt(reader, "-") || next === "]" || next === "") return [first, first];
  take(reader, 1);
  const last = parsePoint(reader);
  if (last < first) throw regexpFault(`invalid character class range: \`${reader.text.slice(start, reader.at)}\``);
  return [first, last];
}

function parsePoint(reader: Reader): number {
  if (isAt(reader, "\\")) return escapedPoint(reader);
  const point = reader.text.codePointAt(reader.at) ?? 0;
  take(reader, point > 0xffff ? 2 : 1);
  return point;
}

// A place in the text of a pattern, and the fault for a mistake there.

export interface Reader {
  readonly text: string;
  at: number;
}

export function isAt(reader: Reader, text: string): boolean {
  return reader.text.startsWith(text, reader.at);
}

export function rest(reader: Reader): string {
  return reader.text.slice(reader.at);
}

export function take(reader: Reader, count: number): void {
  reader.at += count;
}

/** The message is Go's, which users of kubectl know. */
export function regexpFault(what: string): Fault {
  return new Fault("malformed", `error parsing regexp: ${what}`);
}
