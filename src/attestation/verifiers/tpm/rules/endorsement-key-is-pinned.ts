// H13, the endorsement key: written once, changed only after an operator's reset.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { openReset, pinsOf } from "../../identity.ts";
import { withReading } from "../../with-evidence.ts";
import type { EndorsementFacts } from "../facts.ts";

export const endorsementKeyIsPinned: Rule<EndorsementFacts> = {
  id: "endorsement-key-is-pinned",
  sentence: "the endorsement key is the one of the node's first exchange",
  judge: ({ keys, identity, nowMs }) =>
    withReading(keys.endorsementKey, ({ hash }) => {
      const pinned = pinsOf(identity)?.tpm?.ek.spkiSha256;
      if (pinned === hash) return pass();
      const reset = identity.kind === "Present" ? openReset(identity.value, nowMs) : undefined;
      // Before the pins: one that was retired, or that another provider attested, has none, and is opened for that TPM all the same.
      if ((reset?.ekSpkiSha256 ?? hash) !== hash)
        return refuse("EndorsementKeyChanged", "an operator opened the node for another TPM");
      if (pinned === undefined) return pass();
      return reset === undefined
        ? refuse("EndorsementKeyChanged", "the machine has another TPM than at its first exchange")
        : pass("opened by an operator");
    }),
};
