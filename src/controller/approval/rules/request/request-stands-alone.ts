// The request must mean one thing to every reader. The API server looks at the first PEM block only and keeps the rest
// unread, so a second request behind the first would be a request that another tool sees and we do not.
// differs from upstream: kube-controller-manager takes the first block, whatever stands around it.

import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS } from "../rule.ts";

/** A request with its evidence is some 6 KB, a TPM's certificates included. */
const REQUEST_MAX_BYTES = 65_536;

export const requestStandsAlone: Rule<RequestFacts> = {
  id: "request-stands-alone",
  sentence: "spec.request holds one certificate request, without PEM headers, in at most 64 KiB",
  reasons: [...UNREADABLE_REASONS, "RequestIsNotAlone", "RequestHasHeaders"],
  isStricter: true,
  judge: ({ request }) => {
    if (request.kind === "Unreadable") return refuse(request.reason, request.message);
    const { beginnings, hasHeaders, bytes } = request.surroundings;
    if (bytes > REQUEST_MAX_BYTES) {
      return refuse("RequestIsTooLarge", `spec.request has ${bytes} bytes, expected at most ${REQUEST_MAX_BYTES}`);
    }
    if (beginnings !== 1) {
      return refuse("RequestIsNotAlone", `spec.request holds ${beginnings} certificate requests, expected exactly one`);
    }
    if (hasHeaders) return refuse("RequestHasHeaders", "the certificate request has PEM headers, expected none");
    return pass();
  },
};
