// A kubelet asks for `digital signature` and `server auth`, with an RSA key also for `key encipherment`. An exact set: a list
// of three that merely contains the two would let `client auth` into a server's certificate.

import { SERVING_USAGES, SERVING_USAGES_RSA } from "../../../../api/certificates/index.ts";
import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse } from "../rule.ts";
import { isSameSet } from "./usages-are-client-only.ts";

export const usagesAreServingOnly: Rule<RequestFacts> = {
  id: "usages-are-serving-only",
  sentence: "the usages are those of a serving certificate, with or without key encipherment, and no others",
  reasons: ["UsagesAreNotServingOnly"],
  judge: ({ usages }) =>
    isSameSet(usages, SERVING_USAGES) || isSameSet(usages, SERVING_USAGES_RSA)
      ? pass()
      : refuse(
          "UsagesAreNotServingOnly",
          `usages are ${JSON.stringify(usages)}, expected ${JSON.stringify(SERVING_USAGES)} with or without "key encipherment"`,
        ),
};
