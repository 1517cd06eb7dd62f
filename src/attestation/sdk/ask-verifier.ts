// One question to a stranger's verifier: gather within its limit, judge, and look at the answer before anybody acts on it. What goes
// wrong in gathering is waited for; what goes wrong in judging is a refusal, because nothing was proven.
import type { Answer, Question, Verifier } from "@countersign/sdk";
import { readAnswer } from "./shape.ts";

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
    return keepsPins(answer, question)
      ? answer
      : refused("IdentityConflict", "the machine is not the one that was pinned");
  } catch (failure) {
    return refused("VerifierFailed", `provider ${verifier.name} failed: ${wordsOf(failure)}`);
  }
}

/** The contract says it, and it is held here too: what was pinned at first use is what every later answer says. */
function keepsPins(answer: Answer, { pins }: Question): boolean {
  if (answer.kind !== "Attested" || pins === undefined) return true;
  const keys = Object.keys(pins);
  return keys.length === Object.keys(answer.pins).length && keys.every((key) => answer.pins[key] === pins[key]);
}

type Gathered = { readonly facts: unknown } | { readonly failure: unknown };

/** Its signal is for a provider that minds it; one that does not is left behind. */
async function gatherWithin(verifier: Verifier, question: Question, stop: AbortSignal): Promise<Gathered> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(verifier.gatherLimitMs)]);
  const ended = new Promise<Gathered>((resolve) => {
    const end = () => resolve({ failure: signal.reason });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  const asked = (async (): Promise<Gathered> => {
    try {
      return { facts: await verifier.gather(question, { signal }) };
    } catch (failure) {
      return { failure };
    }
  })();
  return await Promise.race([asked, ended]);
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}

function wordsOf(failure: unknown): string {
  return (failure instanceof Error ? failure.message : String(failure)).slice(0, 300);
}
