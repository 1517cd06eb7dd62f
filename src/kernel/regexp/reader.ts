// A place in the text of a pattern, and what is said when the text is wrong there.

import { Fault } from "../outcome/index.ts";

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

/** In Go's words, which users of kubectl know. */
export function regexpFault(what: string): Fault {
  return new Fault("malformed", `error parsing regexp: ${what}`);
}
