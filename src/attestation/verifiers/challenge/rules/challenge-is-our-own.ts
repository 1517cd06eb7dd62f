// H20. A creator may send an annotation along; ours carry a MAC. A good one that is not over needs no second.
import { notMine, pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { CHALLENGE_ANNOTATION, isOwnChallenge, parseChallenge } from "../../../evidence/index.ts";
import { attempt } from "../../reading.ts";
import { withReading } from "../../with-evidence.ts";
import type { ChallengeFacts } from "../facts.ts";
import { keyOf } from "../with-challenge.ts";

export const challengeIsOurOwn: Rule<ChallengeFacts> = {
  id: "challenge-is-our-own",
  sentence: "a challenge that is on the request already is our own",
  judge: ({ object, challengeKeys, challenged, nowMs }) => {
    const annotation = object.annotations[CHALLENGE_ANNOTATION];
    if (annotation === undefined) return pass();
    const parsed = attempt("AnnotationForged", () => parseChallenge(annotation));
    return withReading(parsed, (value) =>
      withReading(challenged, (side) => {
        const keys = keyOf(challengeKeys, value.challenge.kid);
        if (keys === undefined || !isOwnChallenge(keys, value, side))
          return refuse("AnnotationForged", "the challenge on the request was not written by this controller");
        return nowMs <= value.challenge.exp * 1000
          ? notMine("AlreadyChallenged", "the request has a challenge that waits for its answer")
          : notMine("ChallengeOver", "the challenge was not answered in time; the request will be deleted");
      }),
    );
  },
};
