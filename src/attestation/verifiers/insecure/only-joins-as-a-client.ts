// The seed's rule for insecure providers: no rotation, no serving certificates.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withEvidence } from "../with-evidence.ts";

export const onlyJoinsAsAClient: Rule<EvidenceFacts> = {
  id: "only-joins-as-a-client",
  sentence: "the insecure provider asks for a first client certificate and nothing else",
  judge: withEvidence(({ envelope }) => {
    if (envelope.purpose === "serving")
      return refuse("ProviderCannotServe", "the insecure provider has no serving certificates");
    if (envelope.intent === "renew") return refuse("ProviderCannotRenew", "the insecure provider does not renew");
    const isSingle = envelope.step === "single" && envelope.body.kind === "insecure";
    return isSingle ? pass() : refuse("EnvelopeMalformed", "the insecure provider asks in one step");
  }),
};
