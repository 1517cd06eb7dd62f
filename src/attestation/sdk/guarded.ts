// Calls into installed code, which may ignore its signal and throw anything.

import { onAbort } from "../../platform/signals/index.ts";

/** What the call answers or throws; the signal's reason where that fires first. */
export async function unlessAborted<Answer>(signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer> {
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = onAbort(signal, () => reject(signal.reason));
  });
  try {
    // Called inside of a function that is asynchronous: a stranger's may throw before it has made its promise.
    return await Promise.race([aborted, (async () => await call())()]);
  } finally {
    leave();
  }
}

/** A sentence, not a page: the message that it becomes part of is kept with a request. */
const MAX_WORDS_CHARACTERS = 300;

/** Installed code may throw anything, with anything in it. */
export function wordsOf(failure: unknown): string {
  const words = failure instanceof Error ? [failure.message, causeOf(failure)] : [failure];
  const said = words.filter((word) => typeof word === "string" && word !== "").join(": ");
  const text = said === "" ? `a thrown ${failure === null ? "null" : typeof failure}` : said;
  return text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_WORDS_CHARACTERS);
}

/** `fetch failed` says nothing; its cause does, by its message or, where several addresses failed, by its code. */
function causeOf({ cause }: Error): unknown {
  if (!(cause instanceof Error)) return undefined;
  return cause.message === "" ? (cause as NodeJS.ErrnoException).code : cause.message;
}
