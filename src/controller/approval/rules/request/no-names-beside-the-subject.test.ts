import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, withSan } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { noNamesBesideTheSubject } from "./no-names-beside-the-subject.ts";

const REFUSED: Record<string, CsrModifier> = {
  "a DNS name": withSan({ dnsNames: ["worker-3"] }),
  "an address": withSan({ ipAddresses: ["10.0.0.1"] }),
  "a URI": withSan({ uris: ["spiffe://cluster/admin"] }),
  "a mail address": withSan({ emails: ["root@example.com"] }),
};

describe("no-names-beside-the-subject", () => {
  it("passes a kubelet's request", () => {
    expect(noNamesBesideTheSubject.judge(factsOf(aCsr()))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, modifier) => {
    const finding = noNamesBesideTheSubject.judge(factsOf(aCsr(modifier)));
    expect(finding).toMatchObject({ kind: "Deny", reason: "AlternativeNamesRequested" });
  });
});
