// The conformance suite: what a provider author runs before the provider is used. It is a list of checks with names,
// independent of any test runner:
//
//   for (const check of conformanceChecks({ provider, verifier })) it(check.name, () => check.run());
//
// and, for a platform that knows the TPMs of its machines, endorsementKeyChecks({ source, machine });
// or, without a runner, `npx countersign-conformance ./dist/conformance.js` (see ../command.ts).
import { alterationChecks } from "./alteration-checks.ts";
import { wordsOf } from "./bounded.ts";
import { declarationChecks } from "./declaration-checks.ts";
import { endingChecks } from "./ending-checks.ts";
import { evidenceChecks, freshnessChecks, servingChecks } from "./evidence-checks.ts";
import type { Conformance, ConformanceCheck } from "./world.ts";

export { type EndorsementKeyConformance, endorsementKeyChecks } from "./endorsement-checks.ts";
export type { Conformance, ConformanceCheck } from "./world.ts";

export function conformanceChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    ...declarationChecks(input),
    ...evidenceChecks(input),
    ...endingChecks(input),
    ...alterationChecks(input),
    ...freshnessChecks(input),
    ...servingChecks(input),
  ];
}

/** Names of the checks that do not hold, with what was seen; empty: the provider conforms. */
export async function runConformance(input: Conformance): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { name, run } of conformanceChecks(input)) {
    const failure = await failureOf(run);
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  return failures;
}

/** What a check saw; undefined: it holds. */
export async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (failure) {
    return wordsOf(failure);
  }
}
