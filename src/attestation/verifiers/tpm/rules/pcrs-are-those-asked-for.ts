// P13. Exactly the registers of the challenge (by beacon: of the policy), and the values sent are those that were signed.
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { ALGORITHM, pcrDigestOf } from "../../../../kernel/tpm/index.ts";
import { withReading } from "../../with-evidence.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

export interface PcrDemandFacts extends EndorsementFacts {
  /** Of the SHA-256 bank, ascending. */
  readonly demandedPcrs: readonly number[];
}

export const pcrsAreThoseAskedFor: Rule<PcrDemandFacts> = {
  id: "pcrs-are-those-asked-for",
  sentence: "the quote covers exactly the registers asked for, with the values sent",
  judge: withQuote((quote, proof, { facts }) => {
    const [selection, second] = quote.selections;
    const isExact =
      second === undefined &&
      selection?.hash === ALGORITHM.sha256 &&
      selection.pcrs.join() === facts.demandedPcrs.join() &&
      proof.pcrs.length === facts.demandedPcrs.length;
    if (!isExact) return refuse("PcrSelectionMismatch", "the quote covers other registers than those asked for");
    return withReading(facts.keys.attestationKey, ({ scheme }) =>
      equalBytes(pcrDigestOf(proof.pcrs, scheme?.hash ?? ALGORITHM.sha256), quote.pcrDigest)
        ? pass()
        : refuse("PcrDigestMismatch", "the values sent are not those that were signed"),
    );
  }),
};
