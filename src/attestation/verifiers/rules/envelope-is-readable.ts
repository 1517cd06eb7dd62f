// H6. Sealed evidence that we can open, where the policy asks for sealing; canonical JSON of the version's schema.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withReading } from "../with-evidence.ts";

export const envelopeIsReadable: Rule<EvidenceFacts> = {
  id: "envelope-is-readable",
  sentence:
    "the envelope opens, is canonical JSON, has exactly the fields of its version, and is sealed where that is required",
  judge: ({ reading, policy }) =>
    withReading(reading.envelope, ({ wasSealed }) =>
      policy.sealing === "Required" && !wasSealed
        ? refuse("EnvelopeNotSealed", "the policy takes sealed evidence only")
        : pass(wasSealed ? "sealed" : undefined),
    ),
};
