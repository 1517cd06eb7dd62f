// A JSON object in which no name stands twice, at any depth. RFC 7515 §4 and RFC 7519 §4 let a reader refuse repeated
// names; JSON.parse keeps the last one silently, so that two readers of one token could see two different tokens.

import { Fault } from "../outcome/index.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Strings, and the marks that open, close or divide; everything else (numbers, words, spaces) says nothing about names. */
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
