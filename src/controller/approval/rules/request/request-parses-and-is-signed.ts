// The request must be readable, and by its signature the requester holds the key in it. Reading happens in read-request.ts,
// which runs in gather; this rule judges what came of it.

import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS } from "../rule.ts";

export const requestParsesAndIsSigned: Rule<RequestFacts> = {
  id: "request-parses-and-is-signed",
  sentence: "spec.request begins with a PKCS#10 request that is signed by the key in it",
  reasons: [...UNREADABLE_REASONS, "RequestSignatureIsWrong"],
  judge: ({ request }) => {
    if (request.kind === "Unreadable") return refuse(request.reason, request.message);
    if (!request.signatureHolds) {
      return refuse("RequestSignatureIsWrong", "the signature of the request does not verify with the key in it");
    }
    return pass();
  },
};
