// The sources of trust in the protocol's order (6.1). Without a Trusted answer nobody is admitted.
import type { EndorsementFacts, EndorsementKey } from "../facts.ts";
import { bound } from "./bound.ts";
import { denyList } from "./deny-list.ts";
import { firstUse } from "./first-use.ts";
import { listed } from "./listed.ts";
import { pins } from "./pins.ts";
import { SILENT, type TrustAnswer, type TrustSource } from "./source.ts";

export const TRUST_SOURCES: readonly TrustSource[] = [denyList, pins, bound, listed, firstUse];

/** The answer of the first source that is not silent; the last one's reason where all are. */
export function judgeTrust(key: EndorsementKey, facts: EndorsementFacts): TrustAnswer {
  let last = SILENT;
  for (const { ask } of TRUST_SOURCES) {
    const answer = ask(key, facts);
    if (answer.kind !== "Silent") return answer;
    last = answer;
  }
  return last;
}

export type { TrustAnswer, TrustSource };
