// A kubelet asks for `digital signature` and `client auth`, with an RSA key also for `key encipherment`. As a set: the
// API server keeps the order in which they were sent.

import { CLIENT_USAGES, CLIENT_USAGES_RSA } from "../../../../api/certificates/index.ts";
import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse } from "../rule.ts";

export const usagesAreClientOnly: Rule<RequestFacts> = {
  id: "usages-are-client-only",
  sentence: "the usages are those of a client certificate, with or without key encipherment, and no others",
  reasons: ["UsagesAreNotClientOnly"],
  judge: ({ usages }) =>
    isSameSet(usages, CLIENT_USAGES) || isSameSet(usages, CLIENT_USAGES_RSA)
      ? pass()
      : refuse(
          "UsagesAreNotClientOnly",
          `usages are ${JSON.stringify(usages)}, expected ${JSON.stringify(CLIENT_USAGES)} with or without "key encipherment"`,
        ),
};

export function isSameSet(usages: readonly string[], expected: readonly string[]): boolean {
  return usages.length === expected.length && expected.every((usage) => usages.includes(usage));
}
