// A policy may leave serving certificates to people (`serving.approve: false`): then proof of what a machine is buys none either. Said
// of the hello already, so that nobody is challenged for nothing.
import { notYet, pass, type Rule } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withEvidence } from "../with-evidence.ts";

/** A change of the policy brings the request back at once. */
const RETRY_MS = 600_000;

export const servingIsCovered: Rule<EvidenceFacts> = {
  id: "serving-is-covered",
  sentence: "the policy lets serving certificates be approved by rule",
  judge: withEvidence(({ envelope }, { servingLeftBy }) => {
    if (envelope.purpose === "client" || servingLeftBy === undefined) return pass();
    return notYet("ServingIsLeftToPeople", `policy ${servingLeftBy} leaves serving certificates to people`, RETRY_MS);
  }),
};
