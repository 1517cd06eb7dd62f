// P7. By the controller's clock alone, with what replicas' clocks may differ; not judged again once the proof has used it up.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { CONSUMED_BY_ANNOTATION } from "../../../evidence/index.ts";
import { withReading } from "../../with-evidence.ts";
import type { ProofFacts } from "../facts.ts";
import { challengeOf, withHello } from "../with-challenge.ts";

const CLOCK_TOLERANCE_MS = 30_000;

export const challengeIsNotOver: Rule<ProofFacts> = {
  id: "challenge-is-not-over",
  sentence: "the challenge is answered in time",
  judge: withHello((hello, _, { nowMs, object }) => {
    if (hello.object.annotations[CONSUMED_BY_ANNOTATION] === object.uid) return pass("answered in time before");
    return withReading(challengeOf(hello), ({ challenge }) =>
      nowMs <= challenge.exp * 1000 + CLOCK_TOLERANCE_MS
        ? pass()
        : refuse("ChallengeExpired", `the challenge ended at ${new Date(challenge.exp * 1000).toISOString()}`),
    );
  }),
};
