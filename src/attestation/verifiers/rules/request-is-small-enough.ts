// H3. Judged before anything is parsed.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { MAX_REQUEST_OCTETS } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";

export const requestIsSmallEnough: Rule<EvidenceFacts> = {
  id: "request-is-small-enough",
  sentence: `the request has at most ${MAX_REQUEST_OCTETS} octets`,
  judge: ({ reading }) =>
    reading.octets > MAX_REQUEST_OCTETS
      ? refuse("RequestTooLarge", `request must have at most ${MAX_REQUEST_OCTETS} octets, got ${reading.octets}`)
      : pass(),
};
