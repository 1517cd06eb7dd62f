// For judges that need the quote: the proof's body and its parsed attestation.
import { type Finding, refuse } from "../../../kernel/outcome/index.ts";
import { parseQuote, type Quote } from "../../../kernel/tpm/index.ts";
import type { TpmProof } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { attempt } from "../reading.ts";
import { type ReadEvidence, withEvidence, withReading } from "../with-evidence.ts";

export function withQuote<Facts extends EvidenceFacts>(
  judge: (quote: Quote, proof: TpmProof, given: { readonly read: ReadEvidence; readonly facts: Facts }) => Finding,
): (facts: Facts) => Finding {
  return withEvidence<Facts>((read, facts) => {
    const { body } = read.envelope;
    if (body.kind !== "tpm-proof") return refuse("QuoteMalformed", "the evidence has no quote");
    return withReading(
      attempt("QuoteMalformed", () => parseQuote(body.attest)),
      (quote) => judge(quote, body, { read, facts }),
    );
  });
}
