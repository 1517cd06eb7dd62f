// A refusal is final, and a copy may be old: of an identity that was pinned before this replica took over, of a machine
// that its operator enrolled or reset a moment ago, of a name whose Node was just deleted. What copies would refuse is
// judged again by live reads.

import { READABLE_RULES } from "../../../attestation/rules/index.ts";
import type { Judgement } from "../judge.ts";
import type { Wanted } from "./gather.ts";
import type { AttestationWorld } from "./world.ts";

interface Judging<Facts> {
  readonly gather: (wanted: Wanted) => Promise<Facts>;
  readonly judge: (facts: Facts) => Judgement;
}

interface Judged<Facts> {
  readonly facts: Facts;
  readonly judgement: Judgement;
}

/**
 * By copies; what they refuse, by live reads. In an overflow nothing is read live: a refused machine may begin anew.
 */
export async function judgeBeforeRefusing<Facts>(
  { limits }: Pick<AttestationWorld, "limits">,
  { gather, judge }: Judging<Facts>,
  copied: Facts,
): Promise<Judged<Facts>> {
  const judgement = judge(copied);
  const { kind, rule } = judgement.verdict;
  const isAboutTheRequest = READABLE_RULES.some(({ id }) => id === rule);
  if (kind !== "Deny" || isAboutTheRequest || limits.overflow.isOver()) return { facts: copied, judgement };
  const facts = await gather({ isLive: true });
  return { facts, judgement: judge(facts) };
}
