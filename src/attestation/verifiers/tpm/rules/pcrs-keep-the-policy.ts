// P14. Record: anything. Match: only listed values. PinFirst: the values of the first exchange.
import { encodeHex } from "../../../../kernel/bytes/index.ts";
import { type Finding, pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { pinsOf } from "../../identity.ts";
import { withQuote } from "../with-quote.ts";
import type { PcrDemandFacts } from "./pcrs-are-those-asked-for.ts";

export const pcrsKeepThePolicy: Rule<PcrDemandFacts> = {
  id: "pcrs-keep-the-policy",
  sentence: "the values of the registers are ones that the policy allows",
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
      return refuse("PcrPolicyViolation", `register ${index} has a value that the policy does not list`);
  }
  return pass("all values are listed");
}

function judgePinned(values: ReadonlyMap<number, string>, { identity }: PcrDemandFacts): Finding {
  for (const { index, value } of pinsOf(identity)?.tpm?.pcrs?.values ?? []) {
    const seen = values.get(index);
    if (seen !== undefined && seen !== value)
      return refuse("PcrPolicyViolation", `register ${index} has another value than at the first exchange`);
  }
  return pass();
}
