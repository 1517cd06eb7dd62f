// What an answer must look like before the controller acts on it: it becomes conditions, Events, metrics and an
// identity's pins, so it is as bounded as they are. The controller treats an answer with a problem as a refusal,
// because nothing was proven.

import { LIMITS } from "./limits.ts";

/** One word that can be searched for. */
const WORD = new RegExp(LIMITS.word);
const PIN_NAME = new RegExp(LIMITS.pinName);
const PIN = new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.maxPinCharacters}}$`);

type Members = Readonly<Record<string, unknown>>;

/** Why something is no answer; undefined: it is one. */
export function answerProblem(value: unknown): string | undefined {
  if (value instanceof Promise) return "an answer must not be a promise: judges are not asynchronous";
  if (typeof value !== "object" || value === null) return `an answer must be an object, it is ${String(value)}`;
  const answer = value as Members;
  switch (answer["kind"]) {
    case "Attested":
      return wordProblem("level", answer) ?? pinsProblem(answer["pins"]);
    case "Refused":
      return wordProblem("reason", answer) ?? messageProblem(answer);
    case "Waiting":
      return wordProblem("reason", answer) ?? messageProblem(answer) ?? waitProblem(answer);
    default:
      return `the kind of an answer must be Attested, Refused or Waiting, it is ${String(answer["kind"])}`;
  }
}

function wordProblem(name: "level" | "reason", answer: Members): string | undefined {
  const word = answer[name];
  if (typeof word === "string" && WORD.test(word)) return undefined;
  return `${name} ${typeof word === "string" ? word : `of type ${typeof word}`} must match ${WORD.source}`;
}

function messageProblem({ message }: Members & { readonly message?: unknown }): string | undefined {
  return typeof message === "string" ? undefined : `message must be a text, it is of type ${typeof message}`;
}

function waitProblem({ retryAfterMs }: Members & { readonly retryAfterMs?: unknown }): string | undefined {
  const isWait = typeof retryAfterMs === "number" && retryAfterMs > 0 && retryAfterMs <= LIMITS.maxWaitMs;
  return isWait ? undefined : "retryAfterMs must be above 0 and at most one hour";
}

function pinsProblem(pins: unknown): string | undefined {
  if (typeof pins !== "object" || pins === null || Array.isArray(pins)) return "pins must be an object";
  const entries = Object.entries(pins);
  if (entries.length === 0) return "nothing is pinned at first use";
  if (entries.length > LIMITS.maxPins) return `pins must be at most ${LIMITS.maxPins}`;
  const wrong = entries.find(([name, pin]) => !PIN_NAME.test(name) || typeof pin !== "string" || !PIN.test(pin));
  return wrong === undefined
    ? undefined
    : `pin ${wrong[0]} must be 1 to ${LIMITS.maxPinCharacters} printable characters of text`;
}
