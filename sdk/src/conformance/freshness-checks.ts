// A time limit that nobody looks at is none. (With a challenge the nonce is in the digest: see "evidence for another request".)
import { type Conformance, type ConformanceCheck, check, mustRefuse, questionFor } from "./world.ts";

/** More than any tolerance between two clocks. */
const WELL_BEYOND_MS = 60_000;

export function freshnessChecks(input: Conformance): readonly ConformanceCheck[] {
  const { verifier } = input;
  if (verifier.freshness !== "time-limited") return [];
  const limitMs = verifier.maxProofAgeMs ?? 0;
  return [
    check("a proof is over after its time", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, nowMs: question.nowMs + limitMs + WELL_BEYOND_MS });
    }),
    check("a proof from the future is refused", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, nowMs: question.nowMs - limitMs - WELL_BEYOND_MS });
    }),
  ];
}
