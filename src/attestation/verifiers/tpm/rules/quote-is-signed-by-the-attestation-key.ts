// P9. With the key that was challenged (of a beacon's answer: the pinned one), by that key's own scheme, over the bytes received.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { parseTpmSignature, verifyTpmSignature } from "../../../../kernel/tpm/index.ts";
import { attempt } from "../../reading.ts";
import { withReading } from "../../with-evidence.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

export const quoteIsSignedByTheAttestationKey: Rule<EndorsementFacts> = {
  id: "quote-is-signed-by-the-attestation-key",
  sentence: "the quote's signature verifies with the attestation key",
  judge: withQuote((quote, proof, { facts }) =>
    withReading(facts.keys.attestationKey, (key) =>
      withReading(
        attempt("QuoteSignatureInvalid", () => parseTpmSignature(proof.signature)),
        (signature) =>
          verifyTpmSignature(key, signature, quote.raw)
            ? pass()
            : refuse("QuoteSignatureInvalid", "the quote is not signed by the attestation key"),
      ),
    ),
  ),
};
