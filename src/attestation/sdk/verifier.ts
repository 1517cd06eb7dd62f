// The controller's end of an installed provider: one question, one checked answer. A failure while gathering is waited
// for; a failure while judging is a refusal, because nothing was proven.

import type { Answer, Question, Verifier } from "@countersign/sdk";
import { Fault } from "../../kernel/outcome/index.ts";
import type { FindOptions } from "./find-package.ts";
import { unlessAborted, wordsOf } from "./guarded.ts";
import type { AskedVerifier } from "./installed.ts";
import { loadPackageWord, loadVerifier } from "./load.ts";
import { readAnswer, viewOf } from "./shape.ts";

/** An installed verifier that checks what it answers. */
export type SdkVerifier = AskedVerifier;

export function createSdkVerifier(verifier: Verifier): SdkVerifier {
  const { name, versions, freshness } = verifier;
  const ask: SdkVerifier["ask"] = (question, options) =>
    askVerifier(verifier, { ...question, machine: question.machine && viewOf(question.machine) }, options);
  return { name, versions, freshness, ask };
}

/** From the words of a command line. Fault `bad-config` where two packages are one provider. */
export async function loadSdkVerifiers(
  words: readonly string[],
  find: FindOptions = {},
): Promise<readonly SdkVerifier[]> {
  const verifiers = await Promise.all(
    words.map(async (word) => {
      const { packageName, settings } = await loadPackageWord(word);
      return createSdkVerifier(await loadVerifier(packageName, { ...find, settings }));
    }),
  );
  const twice = verifiers.find(({ name }, at) => verifiers.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw new Fault("bad-config", `two packages are provider ${twice.name}; expected one`);
  return verifiers;
}

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
function judge(verifier: Verifier, question: Question, facts: unknown): Answer {
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

/**
 * Where the evidence names a Machine, it must be the one that was found by the provider ID; without Machines there is
 * none to name.
 */
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

export { installedProvider } from "./installed.ts";
export { createSdkKeySource, loadSdkKeySources, type SdkKeySource } from "./key-source.ts";
export { makeVerifier } from "./load.ts";
