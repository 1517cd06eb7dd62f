// Rules about the PCRs of a quote.

import { encodeHex, equalBytes } from "../../../kernel/bytes/index.ts";
import { type Finding, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { ALGORITHM, pcrDigestOf } from "../../../kernel/tpm/index.ts";
import { pinsOf, withReading } from "../../rules/index.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "./quote.ts";

export interface PcrDemandFacts extends EndorsementFacts {
  /** Of the SHA-256 bank, ascending. */
  readonly demandedPcrs: readonly number[];
}

export const pcrsAreThoseAskedFor: Rule<PcrDemandFacts> = {
  id: "pcrs-are-those-asked-for",
  sentence: "the quote covers exactly the PCRs asked for, with the values sent",
  judge: withQuote((quote, proof, { facts }) => {
    const [selection, second] = quote.selections;
    const isExact =
      second === undefined &&
      selection?.hash === ALGORITHM.sha256 &&
      selection.pcrs.join() === facts.demandedPcrs.join() &&
      proof.pcrs.length === facts.demandedPcrs.length;
    if (!isExact) return refuse("PcrSelectionMismatch", "the quote covers other PCRs than those asked for");
    return withReading(facts.keys.attestationKey, ({ scheme }) =>
      equalBytes(pcrDigestOf(proof.pcrs, scheme?.hash ?? ALGORITHM.sha256), quote.pcrDigest)
        ? pass()
        : refuse("PcrDigestMismatch", "the values sent are not those that were signed"),
    );
  }),
};

export const pcrsKeepThePolicy: Rule<PcrDemandFacts> = {
  id: "pcrs-keep-the-policy",
  sentence: "the values of the PCRs are ones that the policy allows",
  judge: withQuote((_, proof, { facts }) => {
    const values = new Map(facts.demandedPcrs.map((pcr, at) => [pcr, encodeHex(proof.pcrs[at] ?? new Uint8Array())]));
    switch (facts.policy.tpm?.pcrs?.rule ?? "Record") {
      case "Record":
        return pass("recorded");
      case "Match":
        return judgeMatch(values, facts);
      case "PinFirst":
        return judgePinned(values, facts);
    }
  }),
};

function judgeMatch(values: ReadonlyMap<number, string>, { policy }: PcrDemandFacts): Finding {
  for (const { index, values: allowed } of policy.tpm?.pcrs?.allowed ?? []) {
    if (!allowed.includes(values.get(index) ?? "none"))
      return refuse("PcrPolicyViolation", `PCR ${index} has a value that the policy does not list`);
  }
  return pass("all values are listed");
}

function judgePinned(values: ReadonlyMap<number, string>, { identity }: PcrDemandFacts): Finding {
  for (const { index, value } of pinsOf(identity)?.tpm?.pcrs?.values ?? []) {
    const seen = values.get(index);
    if (seen !== undefined && seen !== value)
      return refuse("PcrPolicyViolation", `PCR ${index} has another value than at the first exchange`);
  }
  return pass();
}
