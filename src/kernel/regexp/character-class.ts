// Which characters one place of a regular expression takes: ranges of code points, Unicode properties, and both turned
// around.

/** [first, last, first, last, …] */
export type Ranges = readonly number[];

export interface CharacterClass {
  readonly ranges: Ranges;
  /** Unicode properties; each is asked about one character. */
  readonly properties: readonly ((character: string) => boolean)[];
  readonly isNegated: boolean;
  /** (?i): a character also counts as its other case. */
  readonly ignoresCase: boolean;
}

const MAX_CODE_POINT = 0x10ffff;
const DIGITS: Ranges = [0x30, 0x39];
const SPACES: Ranges = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];
const WORD: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

/** \d \s \w; in RE2 they are about ASCII only. */
export const PERL_CLASSES: Readonly<Record<string, Ranges>> = { d: DIGITS, s: SPACES, w: WORD };

export const POSIX_CLASSES: Readonly<Record<string, Ranges>> = {
  alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
  alpha: [0x41, 0x5a, 0x61, 0x7a],
  ascii: [0x00, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0x00, 0x1f, 0x7f, 0x7f],
  digit: DIGITS,
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word: WORD,
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
};

export function classOf(ranges: Ranges, options: Partial<CharacterClass> = {}): CharacterClass {
  return { properties: [], isNegated: false, ignoresCase: false, ...options, ranges };
}

/** Everything that is not in the ranges. */
export function complement(ranges: Ranges): Ranges {
  const pairs: [number, number][] = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  pairs.sort(([a], [b]) => a - b);
  const rest: number[] = [];
  let from = 0;
  for (const [first, last] of pairs) {
    if (first > from) rest.push(from, first - 1);
    from = Math.max(from, last + 1);
  }
  return from > MAX_CODE_POINT ? rest : [...rest, from, MAX_CODE_POINT];
}

/** A general category (`L`, `Lu`) or a script (`Greek`), as Go names them; undefined for anything else. */
export function unicodeProperty(name: string, isNegated: boolean): ((character: string) => boolean) | undefined {
  if (!/^[A-Za-z_]{1,40}$/.test(name)) return undefined;
  for (const property of [`General_Category=${name}`, `Script=${name}`]) {
    const test = propertyTest(property);
    if (test !== undefined) return (character) => test.test(character) !== isNegated;
  }
  return undefined;
}

function propertyTest(property: string): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${property}}$`, "u");
  } catch (error) {
    // No such property: the pattern is wrong, not the program.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function takes(one: CharacterClass, codePoint: number): boolean {
  return holds(one, codePoint) !== one.isNegated;
}

function holds(one: CharacterClass, codePoint: number): boolean {
  if (isIn(one, codePoint)) return true;
  if (!one.ignoresCase) return false;
  const character = String.fromCodePoint(codePoint);
  return otherCases(character).some((other) => isIn(one, other.codePointAt(0) ?? 0));
}

function otherCases(character: string): readonly string[] {
  const all = [character.toLowerCase(), character.toUpperCase()];
  return all.filter((other) => other !== character && [...other].length === 1);
}

function isIn({ ranges, properties }: CharacterClass, codePoint: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (codePoint >= (ranges[at] ?? 0) && codePoint <= (ranges[at + 1] ?? -1)) return true;
  }
  return properties.some((has) => has(String.fromCodePoint(codePoint)));
}
