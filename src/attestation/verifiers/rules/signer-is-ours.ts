// H1. Other people's requests, and those that are decided, are none of our business.
import { notMine, pass, type Rule } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";

export const signerIsOurs: Rule<EvidenceFacts> = {
  id: "signer-is-ours",
  sentence: "the signer is ours, for a cluster we serve; the request is undecided and not being deleted",
  judge: ({ object, cluster }) => {
    if (!cluster.servedSigners.includes(object.signerName))
      return notMine("SignerNotServed", `signer ${object.signerName} is not served here`);
    if (object.isDecided) return notMine("AlreadyDecided", "the request is decided");
    return object.isDeleting ? notMine("BeingDeleted", "the request is being deleted") : pass();
  },
};
