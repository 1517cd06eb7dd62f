// The syntax of RE2, which Kubernetes' schemas use: pattern text -> a tree. What RE2 has not (lookaround,
// backreferences) is refused with Go's message. github.com/google/re2/wiki/Syntax.

import { type CharacterClass, classOf } from "./character-class.ts";
import { classAfterEscape, isAt, parseBracketClass, type Reader, regexpFault, rest, take } from "./class-syntax.ts";

export type Assertion = "textBegin" | "textEnd" | "lineBegin" | "lineEnd" | "boundary" | "notBoundary";

export type Tree =
  | { readonly kind: "class"; readonly of: CharacterClass }
  | { readonly kind: "assertion"; readonly of: Assertion }
  | { readonly kind: "sequence"; readonly parts: readonly Tree[] }
  | { readonly kind: "choice"; readonly parts: readonly Tree[] }
  | { readonly kind: "repeat"; readonly part: Tree; readonly min: number; readonly max: number };

/** Patterns of real definitions have a few hundred characters. */
const MAX_PATTERN_CHARACTERS = 4_096;
/** Go allows 1,000; every level is a level of this parser's own stack. */
const MAX_NESTING = 200;
/** Go's limit for one counted repetition. */
const MAX_REPEAT = 1_000;
const NO_NEWLINE = [0, 9, 11, 0x10ffff];
const ANYTHING = [0, 0x10ffff];

interface Flags {
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  readonly dotTakesNewline: boolean;
}

const NO_FLAGS: Flags = { ignoresCase: false, isMultiline: false, dotTakesNewline: false };

/** Fault `malformed` with Go's message. */
export function parseRegexp(pattern: string): Tree {
  if (pattern.length > MAX_PATTERN_CHARACTERS) throw regexpFault(`longer than ${MAX_PATTERN_CHARACTERS} characters`);
  const reader: Reader = { text: pattern, at: 0 };
  const tree = parseChoice(reader, { flags: NO_FLAGS, depth: 0 });
  if (reader.at < pattern.length) throw regexpFault(`unexpected ): \`${pattern}\``);
  return tree;
}

interface Level {
  /** A group like (?i) changes the flags for the rest of the group it stands in. */
  flags: Flags;
  readonly depth: number;
}

function parseChoice(reader: Reader, level: Level): Tree {
  if (level.depth > MAX_NESTING) throw regexpFault("expression nests too deeply");
  const parts = [parseSequence(reader, level)];
  while (isAt(reader, "|")) {
    take(reader, 1);
    parts.push(parseSequence(reader, level));
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "choice", parts };
}

function parseSequence(reader: Reader, level: Level): Tree {
  const parts: Tree[] = [];
  while (reader.at < reader.text.length && !isAt(reader, "|") && !isAt(reader, ")")) {
    const start = reader.at;
    const atom = parseAtom(reader, level);
    if (atom !== undefined) parts.push(...repeated(reader, atom, start));
  }
  return { kind: "sequence", parts };
}

function repeated(reader: Reader, atoms: readonly Tree[], start: number): readonly Tree[] {
  const counts = parseCounts(reader);
  if (counts === undefined) return atoms;
  const afterCounts = reader.at;
  if (parseCounts(reader) !== undefined) {
    throw regexpFault(`invalid nested repetition operator: \`${reader.text.slice(start, reader.at)}\``);
  }
  reader.at = afterCounts;
  const last = atoms.at(-1);
  if (last === undefined) return [];
  return [...atoms.slice(0, -1), { kind: "repeat", part: last, ...counts }];
}

const COUNTED = /^\{(\d{1,9})(,(\d{1,9})?)?\}\??/;
const SIMPLE_COUNTS: Readonly<Record<string, { min: number; max: number }>> = {
  "*": { min: 0, max: Number.POSITIVE_INFINITY },
  "+": { min: 1, max: Number.POSITIVE_INFINITY },
  "?": { min: 0, max: 1 },
};

/** Greedy or lazy makes no difference to whether a text matches. */
function parseCounts(reader: Reader): { min: number; max: number } | undefined {
  const simple = SIMPLE_COUNTS[reader.text.charAt(reader.at)];
  if (simple !== undefined) {
    take(reader, reader.text.charAt(reader.at + 1) === "?" ? 2 : 1);
    return simple;
  }
  const counted = COUNTED.exec(rest(reader));
  if (counted === null) return undefined;
  const min = Number(counted[1]);
  const max = counted[2] === undefined ? min : counted[3] === undefined ? Number.POSITIVE_INFINITY : Number(counted[3]);
  if (min > MAX_REPEAT || (Number.isFinite(max) && max > MAX_REPEAT) || max < min) {
    throw regexpFault(`invalid repeat count: \`${counted[0]}\``);
  }
  take(reader, counted[0].length);
  return { min, max };
}

/** Undefined for what takes no room in the tree: a group of flags, or nothing between \Q and \E. */
function parseAtom(reader: Reader, level: Level): readonly Tree[] | undefined {
  const character = reader.text.charAt(reader.at);
  if (character === "(") return parseGroup(reader, level);
  if (character === "[") return [{ kind: "class", of: parseBracketClass(reader, level.flags.ignoresCase) }];
  if (character === "\\") return parseEscape(reader, level.flags);
  if (SIMPLE_COUNTS[character] !== undefined) {
    throw regexpFault(`missing argument to repetition operator: \`${character}\``);
  }
  const taken = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0);
  take(reader, taken.length);
  return [plain(character, taken, level.flags)];
}

function plain(character: string, taken: string, flags: Flags): Tree {
  if (character === ".") return { kind: "class", of: classOf(flags.dotTakesNewline ? ANYTHING : NO_NEWLINE) };
  if (character === "^") return { kind: "assertion", of: flags.isMultiline ? "lineBegin" : "textBegin" };
  if (character === "$") return { kind: "assertion", of: flags.isMultiline ? "lineEnd" : "textEnd" };
  return literal(taken, flags);
}

function literal(character: string, { ignoresCase }: Flags): Tree {
  const point = character.codePointAt(0) ?? 0;
  return { kind: "class", of: classOf([point, point], { ignoresCase }) };
}

const FLAG_GROUP = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/;
const NAMED_GROUP = /^\(\?P?<[A-Za-z_]\w*>/;

function parseGroup(reader: Reader, level: Level): readonly Tree[] | undefined {
  const flagged = FLAG_GROUP.exec(rest(reader));
  if (flagged !== null) {
    const [head, on = "", off = "", end] = flagged;
    take(reader, head.length);
    const flags = withFlags(level.flags, on, off);
    if (end === ":") return inside(reader, { flags, depth: level.depth + 1 });
    level.flags = flags;
    return undefined;
  }
  const named = NAMED_GROUP.exec(rest(reader));
  if (named === null && isAt(reader, "(?")) {
    throw regexpFault(`invalid or unsupported Perl syntax: \`${rest(reader).slice(0, 3)}\``);
  }
  take(reader, named === null ? 1 : named[0].length);
  return inside(reader, { flags: level.flags, depth: level.depth + 1 });
}

function inside(reader: Reader, level: Level): readonly Tree[] {
  const tree = parseChoice(reader, level);
  if (!isAt(reader, ")")) throw regexpFault(`missing closing ): \`${reader.text}\``);
  take(reader, 1);
  return [tree];
}

function withFlags(flags: Flags, on: string, off: string): Flags {
  const is = (letter: string, before: boolean) => (on.includes(letter) || before) && !off.includes(letter);
  return {
    ignoresCase: is("i", flags.ignoresCase),
    isMultiline: is("m", flags.isMultiline),
    dotTakesNewline: is("s", flags.dotTakesNewline),
  };
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: "textBegin",
  z: "textEnd",
  b: "boundary",
  B: "notBoundary",
};

function parseEscape(reader: Reader, flags: Flags): readonly Tree[] {
  const letter = reader.text.charAt(reader.at + 1);
  const assertion = ASSERTIONS[letter];
  if (assertion !== undefined) {
    take(reader, 2);
    return [{ kind: "assertion", of: assertion }];
  }
  if (letter === "Q") return quoted(reader, flags);
  return [{ kind: "class", of: { ...classAfterEscape(reader), ignoresCase: flags.ignoresCase } }];
}

function quoted(reader: Reader, flags: Flags): readonly Tree[] {
  const end = reader.text.indexOf("\\E", reader.at + 2);
  const text = reader.text.slice(reader.at + 2, end < 0 ? undefined : end);
  reader.at = end < 0 ? reader.text.length : end + 2;
  return [...text].map((character) => literal(character, flags));
}
