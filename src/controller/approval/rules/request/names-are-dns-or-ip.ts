// What kube-controller-manager asks of a serving certificate's names: at least one, DNS or IP, and no other kind.

import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const namesAreDnsOrIp: Rule<RequestFacts> = {
  id: "names-are-dns-or-ip",
  sentence: "the request asks for at least one DNS name or IP address, and for no mail address or URI",
  reasons: [...UNREADABLE_REASONS, "NamesAreMissing", "NamesAreOfAnotherKind"],
  judge: withRequest(({ subjectAltNames }) => {
    const { dnsNames = [], ipAddresses = [], emails = [], uris = [] } = subjectAltNames ?? {};
    if (dnsNames.length + ipAddresses.length === 0) {
      return refuse("NamesAreMissing", "the request asks for no DNS name and no IP address, expected at least one");
    }
    if (emails.length + uris.length > 0) {
      return refuse(
        "NamesAreOfAnotherKind",
        "the request asks for mail addresses or URIs, expected DNS names and IP addresses",
      );
    }
    return pass(`${dnsNames.length} DNS names, ${ipAddresses.length} addresses`);
  }),
};
