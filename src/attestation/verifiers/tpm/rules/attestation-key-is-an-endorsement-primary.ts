// P10. The quote names its signer with the way to it: a primary key of the endorsement hierarchy. There the counters of the TPM are
// told as they are, and no other key of the machine can be passed off as ours.
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { HANDLE, qualifiedNameOfPrimary } from "../../../../kernel/tpm/index.ts";
import { withReading } from "../../with-evidence.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

export const attestationKeyIsAnEndorsementPrimary: Rule<EndorsementFacts> = {
  id: "attestation-key-is-an-endorsement-primary",
  sentence: "the attestation key is a primary key of the endorsement hierarchy",
  judge: withQuote((quote, _, { facts }) =>
    withReading(facts.keys.attestationKey, (key) =>
      equalBytes(quote.qualifiedSigner, qualifiedNameOfPrimary(key, HANDLE.endorsement))
        ? pass()
        : refuse("AttestationKeyUnacceptable", "the attestation key is no primary key of the endorsement hierarchy"),
    ),
  ),
};
