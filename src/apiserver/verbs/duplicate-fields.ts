// Keys that occur twice in one object of a JSON body. The parser silently keeps the last of them, so the text is read
// once more by a scanner that only follows strings, braces and brackets. It runs on text that has been parsed before.

import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Call } from "../call.ts";
import { mediaTypeOf } from "../entry/body.ts";
import { repeatedKeysOf } from "../entry/yaml.ts";

/** More than a person reads. */
const MAX_TOLD = 100;

/** `duplicate field "metadata.name"`, in the order of the body. */
export function duplicateFields(call: Call): readonly string[] {
  const bytes = call.sentBody();
  const type = mediaTypeOf(call.request);
  if (bytes === undefined) return [];
  if (type.endsWith("yaml")) return [repeatedKeysOf(bytes) ?? []].flat();
  if (!(type === "" || type.endsWith("json"))) return [];
  return [...new Set(findDuplicates(textOf(bytes)))].map((path) => `duplicate field ${JSON.stringify(path)}`);
}

/** A YAML reader reports all its complaints as one error; as warnings they are separate. */
export function asWarnings(complaints: readonly string[]): readonly string[] {
  return complaints.flatMap((text) => (text.startsWith("yaml: ") ? text.split("\n  ").slice(1) : [text]));
}

function textOf(bytes: Uint8Array): string {
  try {
    return parseUtf8(bytes);
  } catch (error) {
    if (isFault(error)) return "";
    throw error;
  }
}

interface Level {
  /** Undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The name of the current value within its parent: `.spec` or `[2]`. */
  step: string;
  at: number;
}

export function findDuplicates(text: string): readonly string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character !== QUOTE) {
      follow(levels, character);
      continue;
    }
    const end = endOfString(text, at);
    if (isKey(text, end) && isSecond(levels, text.slice(at, end)) && found.length < MAX_TOLD)
      found.push(pathOf(levels));
    at = end - 1;
  }
  return found;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const SPACE = 0x20;

function follow(levels: Level[], character: number): void {
  if (character === OPEN_BRACE) levels.push({ keys: new Set(), step: "", at: 0 });
  else if (character === OPEN_BRACKET) levels.push({ keys: undefined, step: "[0]", at: 0 });
  else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) levels.pop();
  else if (character === COMMA) nextItem(levels.at(-1));
}

function nextItem(level: Level | undefined): void {
  if (level === undefined || level.keys !== undefined) return;
  level.at += 1;
  level.step = `[${level.at}]`;
}

/** Just after the closing quote: the next one without an odd number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return text.charCodeAt(at) === COLON;
}

function isSecond(levels: readonly Level[], quoted: string): boolean {
  const level = levels.at(-1);
  if (level?.keys === undefined) return false;
  const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  level.step = `.${key}`;
  const isKnown = level.keys.has(key);
  level.keys.add(key);
  return isKnown;
}

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ step }) => step)
    .join("")
    .replace(/^\./, "");
}
