// The signer of people's and programs' client certificates: `client auth`, and beside it at most the two key usages.

import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse } from "../rule.ts";

const POSSIBLE: readonly string[] = ["digital signature", "key encipherment", "client auth"];

export const usagesFitAClient: Rule<RequestFacts> = {
  id: "usages-fit-a-client",
  sentence: "the usages hold client auth, and beside it at most digital signature and key encipherment",
  reasons: ["UsagesDoNotFitAClient"],
  judge: ({ usages }) => {
    const foreign = usages.find((usage) => !POSSIBLE.includes(usage));
    if (foreign !== undefined)
      return refuse("UsagesDoNotFitAClient", `usage ${JSON.stringify(foreign)} is not a client's`);
    return usages.includes("client auth") ? pass() : refuse("UsagesDoNotFitAClient", `usage "client auth" is missing`);
  },
};
