// One question to a stranger's verifier: gather within its limit, judge, and look at the answer before anybody acts on it. What goes
// wrong in gathering is waited for; what goes wrong in judging is a refusal, because nothing was proven.
import type { Answer, Question, Verifier } from "@countersign/sdk";
import { readAnswer } from "./shape.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { wordsOf } from "./words.ts";

/** A platform that is away is asked again soon. */
const RETRY_GATHER_MS = 10_000;

export async function askVerifier(
  verifier: Verifier,
  question: Question,
  options: { readonly signal: AbortSignal },
): Promise<Answer> {
  const gathered = await gatherWithin(verifier, question, options.signal);
  if ("failure" in gathered) {
    const message = `provider ${verifier.name} cannot ask its platform: ${wordsOf(gathered.failure)}`;
    return { kind: "Waiting", reason: "EndorserUnavailable", message, retryAfterMs: RETRY_GATHER_MS };
  }
  return judge(verifier, question, gathered.facts);
}

/** Pure, as the judges are: the same question and facts give the same answer. */
export function judge(verifier: Verifier, question: Question, facts: unknown): Answer {
  try {
    const given =
      question.request.purpose === "client"
        ? verifier.verifyClient(question, facts)
        : verifier.verifyServing(question, facts);
    const answer = readAnswer(given);
    if (answer === undefined)
      return refused("VerifierFailed", `provider ${verifier.name} gave no answer that can be read`);
    if (answer.kind !== "Attested") return answer;
    if (!keepsPins(answer.pins, question))
      return refused("IdentityConflict", "the machine is not the one that was pinned");
    return isOfMachine(verifier.machineName?.(question, facts), question)
      ? answer
      : refused("MachineMismatch", `provider ${verifier.name} says that the evidence is of another Machine`);
  } catch (failure) {
    return refused("VerifierFailed", `provider ${verifier.name} failed: ${wordsOf(failure)}`);
  }
}

/** The contract says it, and it is held here too: what was pinned at first use is what every later answer says. */
function keepsPins(seen: Readonly<Record<string, string>>, { pins }: Question): boolean {
  if (pins === undefined) return true;
  const keys = Object.keys(pins);
  return keys.length === Object.keys(seen).length && keys.every((key) => seen[key] === pins[key]);
}

/** Where the evidence names a Machine, it is the one that was found by the provider ID; a cluster without Machines has none to name. */
function isOfMachine(name: unknown, { machine }: Question): boolean {
  return name === undefined || machine === undefined || name === machine.name;
}

type Gathered = { readonly facts: unknown } | { readonly failure: unknown };

async function gatherWithin(verifier: Verifier, question: Question, stop: AbortSignal): Promise<Gathered> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(verifier.gatherLimitMs)]);
  try {
    return { facts: await unlessAborted(signal, () => verifier.gather(question, { signal })) };
  } catch (failure) {
    return { failure };
  }
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}
