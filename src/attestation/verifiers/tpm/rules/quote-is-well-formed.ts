// P8. The whole buffer is a quote, with the mark that only a TPM puts on what it made itself.
import { pass, type Rule } from "../../../../kernel/outcome/index.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

export const quoteIsWellFormed: Rule<EndorsementFacts> = {
  id: "quote-is-well-formed",
  sentence: "the attestation is a quote, whole and nothing besides",
  judge: withQuote(() => pass()),
};
