// A client certificate speaks for its subject and for nobody else.

import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const noNamesBesideTheSubject: Rule<RequestFacts> = {
  id: "no-names-beside-the-subject",
  sentence: "the request asks for no alternative names",
  reasons: [...UNREADABLE_REASONS, "AlternativeNamesRequested"],
  judge: withRequest(({ subjectAltNames }) => {
    if (subjectAltNames === undefined) return pass();
    const { dnsNames, emails, ipAddresses, uris } = subjectAltNames;
    const count = dnsNames.length + emails.length + ipAddresses.length + uris.length;
    if (count === 0) return pass("an alternative name of a kind that no certificate gets");
    return refuse("AlternativeNamesRequested", `the request asks for ${count} alternative names, expected none`);
  }),
};
