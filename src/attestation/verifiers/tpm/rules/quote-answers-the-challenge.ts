// P11. The quote's extra data is keyed by the secret that only this TPM could open, over a transcript of this very exchange. Nobody
// who cannot open the credential gets past this rule; so only what comes after it may touch the hello.
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { CHALLENGE_ANNOTATION, challengeSecret, exchangeExtraData, transcriptDigest } from "../../../evidence/index.ts";
import { challengeOf, keyOf, withHello } from "../../challenge/with-challenge.ts";
import { withReading } from "../../with-evidence.ts";
import type { TpmProofFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

export const quoteAnswersTheChallenge: Rule<TpmProofFacts> = {
  id: "quote-answers-the-challenge",
  sentence: "the quote's extra data is keyed by the challenge's secret over this exchange",
  judge: (facts) =>
    withHello<TpmProofFacts>((hello) => withReading(challengeOf(hello), (parsed) => judgeQuote(facts, hello, parsed)))(
      facts,
    ),
};

type Hello = Parameters<Parameters<typeof withHello<TpmProofFacts>>[0]>[0];
type Parsed = Extract<ReturnType<typeof challengeOf>, { ok: true }>["value"];

function judgeQuote(facts: TpmProofFacts, hello: Hello, { challenge }: Parsed) {
  const keys = keyOf(facts.challengeKeys, challenge.kid);
  if (keys === undefined || challenge.alg !== "tpm2-credential")
    return refuse("ChallengeUnknown", "the hello bears no challenge for a TPM");
  return withReading(facts.challenged, (challenged) =>
    withQuote<TpmProofFacts>((quote, _, { read }) => {
      const secret = challengeSecret(keys, challenge, challenged);
      const freshness = {
        kind: "challenge",
        helloRequest: hello.object.request,
        helloUid: hello.object.uid,
        annotation: hello.object.annotations[CHALLENGE_ANNOTATION] ?? "",
      } as const;
      const { envelope, request } = read;
      const transcript = { claims: envelope, protocol: envelope.protocol, cri: request.tbs, freshness };
      const digest = transcriptDigest({ ...transcript, spki: request.publicKey.spki });
      return equalBytes(exchangeExtraData(secret, digest), quote.extraData)
        ? pass()
        : refuse(
            "ChallengeFailed",
            "the quote does not answer the challenge: another TPM, another request, or altered",
          );
    })(facts),
  );
}
