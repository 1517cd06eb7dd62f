import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, withSan } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { namesAreDnsOrIp } from "./names-are-dns-or-ip.ts";

const ALLOWED: Record<string, CsrModifier> = {
  "a DNS name": withSan({ dnsNames: ["worker-3"] }),
  "an address": withSan({ ipAddresses: ["10.0.0.3"] }),
  both: withSan({ dnsNames: ["worker-3"], ipAddresses: ["10.0.0.3", "fd00::3"] }),
};

const REFUSED: Record<string, [CsrModifier[], string]> = {
  "no name at all, which machine-approver lets pass": [[], "NamesAreMissing"],
  "a mail address alone": [[withSan({ emails: ["root@example.com"] })], "NamesAreMissing"],
  "a mail address beside a name": [
    [withSan({ dnsNames: ["a"], emails: ["root@example.com"] })],
    "NamesAreOfAnotherKind",
  ],
  "a URI beside an address": [[withSan({ ipAddresses: ["10.0.0.3"], uris: ["https://a"] })], "NamesAreOfAnotherKind"],
};

describe("names-are-dns-or-ip", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(namesAreDnsOrIp.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifiers, reason]) => {
    expect(namesAreDnsOrIp.judge(factsOf(aCsr(...modifiers)))).toMatchObject({ kind: "Deny", reason });
  });
});
