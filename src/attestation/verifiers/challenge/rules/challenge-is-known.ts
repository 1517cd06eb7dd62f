// P5. The challenge on the hello is one that this controller wrote, under a key it has. A replica may see a key a moment later
// than the one that made it.
import { notYet, pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { isOwnChallenge } from "../../../evidence/index.ts";
import { withReading } from "../../with-evidence.ts";
import type { ProofFacts } from "../facts.ts";
import { challengeOf, keyOf, withHello } from "../with-challenge.ts";

const KEY_PATIENCE_MS = 60_000;
const RETRY_KEY_MS = 2_000;

export const challengeIsKnown: Rule<ProofFacts> = {
  id: "challenge-is-known",
  sentence: "the hello bears a challenge whose key is known and whose MAC holds",
  judge: withHello((hello, _, { challengeKeys, challenged, nowMs, object }) =>
    withReading(challengeOf(hello), (parsed) =>
      withReading(challenged, (side) => {
        const keys = keyOf(challengeKeys, parsed.challenge.kid);
        if (keys === undefined) {
          const isYoung = nowMs - object.createdMs < KEY_PATIENCE_MS;
          return isYoung
            ? notYet("KeyUnavailable", `challenge key ${parsed.challenge.kid} is not known here yet`, RETRY_KEY_MS)
            : refuse("ChallengeUnknown", `challenge key ${parsed.challenge.kid} is not known here`);
        }
        return isOwnChallenge(keys, parsed, side)
          ? pass()
          : refuse("ChallengeForged", "the challenge on the hello was not written by this controller");
      }),
    ),
  ),
};
