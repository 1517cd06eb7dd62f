// The first rule: a request for somebody else's signer is not touched, not annotated, not even refused.

import type { ApprovalFacts } from "../../facts.ts";
import { notMine, pass, type Rule } from "../rule.ts";

export const signerIsServed: Rule<ApprovalFacts> = {
  id: "signer-is-served",
  sentence: "the request is for a signer that this controller serves",
  reasons: ["SignerIsNotServed"],
  judge: ({ signerName, servedSigners }) =>
    servedSigners.includes(signerName)
      ? pass(signerName)
      : notMine("SignerIsNotServed", `signer ${signerName} is not served here`),
};
