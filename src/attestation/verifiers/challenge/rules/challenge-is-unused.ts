// P6. One answer each. Only somebody who knew the secret can have used it up.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { CONSUMED_BY_ANNOTATION } from "../../../evidence/index.ts";
import type { ProofFacts } from "../facts.ts";
import { withHello } from "../with-challenge.ts";

export const challengeIsUnused: Rule<ProofFacts> = {
  id: "challenge-is-unused",
  sentence: "the challenge was not used up by another proof",
  judge: withHello((hello, _, { object }) => {
    const consumer = hello.object.annotations[CONSUMED_BY_ANNOTATION];
    return consumer === undefined || consumer === object.uid
      ? pass()
      : refuse("ChallengeConsumed", "the challenge was answered by another proof");
  }),
};
