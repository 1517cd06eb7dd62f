// P2. Read live: the same object that was challenged, still a hello, not on its way out.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import type { ProofFacts } from "../facts.ts";
import { withHello } from "../with-challenge.ts";

export const challengedRequestExists: Rule<ProofFacts> = {
  id: "challenged-request-exists",
  sentence: "the request that the proof names exists, with that uid, is a hello and is not being deleted",
  judge: withHello(({ object, envelope }, read) => {
    const named = read.envelope.hello;
    const isIt = named !== undefined && object.name === named.name && object.uid === named.uid;
    return isIt && envelope.step === "hello" && !object.isDeleting
      ? pass(object.name)
      : refuse("ChallengeUnknown", "the request that the proof names is another, no hello, or being deleted");
  }),
};
