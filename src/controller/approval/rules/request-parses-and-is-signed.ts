// The request must mean one thing to every reader. The API server looks at the first PEM block only and keeps the rest
// unread, so a second request behind the first would be a request that another tool sees and we do not.
// Reading happens in read-request.ts, which runs in gather; this rule judges what came of it.

import type { RequestFacts } from "../facts.ts";
import { pass, type Rule, refuse } from "./rule.ts";

export const requestParsesAndIsSigned: Rule<RequestFacts> = {
  id: "request-parses-and-is-signed",
  sentence: "spec.request begins with one PKCS#10 request, has no second one, and is signed by the key in it",
  judge: ({ request }) => {
    if (request.kind === "Unreadable") return refuse(request.reason, request.message);
    if (!request.signatureHolds) {
      return refuse("RequestSignatureIsWrong", "the signature of the request does not verify with the key in it");
    }
    return pass();
  },
};
