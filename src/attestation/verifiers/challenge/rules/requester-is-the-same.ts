// P3. Who was challenged answers.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { credentialOf } from "../../rules/requester-may-ask.ts";
import type { ProofFacts } from "../facts.ts";
import { withHello } from "../with-challenge.ts";

export const requesterIsTheSame: Rule<ProofFacts> = {
  id: "requester-is-the-same",
  sentence: "hello and proof come from one user, and a renewal's from one certificate",
  judge: withHello((hello, { envelope }, { object }) => {
    const [first, second] = [hello.object.requester, object.requester];
    const isSame =
      first.username === second.username &&
      (envelope.intent === "join" || credentialOf(first) === credentialOf(second));
    return isSame ? pass() : refuse("RequesterChanged", "the proof comes from another requester than its hello");
  }),
};
