// A verifier of the SDK in the shape that the controller uses: one question, one answer that was looked at.
import type { Answer, MachineView, Question, Verifier } from "@countersign/sdk";
import { Fault } from "../../kernel/outcome/index.ts";
import { askVerifier } from "./ask-verifier.ts";
import type { FindOptions } from "./find-package.ts";
import { loadVerifier } from "./load.ts";
import { loadPackageWord } from "./settings.ts";

export interface SdkVerifier {
  readonly name: string;
  readonly versions: readonly number[];
  readonly freshness: Verifier["freshness"];
  ask(question: Question, options: { readonly signal: AbortSignal }): Promise<Answer>;
}

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

/** No more of a Machine than the contract names, whatever the controller knows of it. */
export function viewOf(machine: MachineView): MachineView {
  const { namespace, name, uid, providerId, createdMs, addresses } = machine;
  return { namespace, name, uid, providerId, createdMs, addresses };
}
