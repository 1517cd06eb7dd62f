import { describe, expect, it } from "vitest";
import { aCsr, withSan } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import { namesArePlain } from "./names-are-plain.ts";

const ALLOWED: Record<string, Parameters<typeof withSan>[0]> = {
  "a host name": { dnsNames: ["worker-3"] },
  "a name with a dot at the end and upper case (OCPBUGS-45306, -36871)": { dnsNames: ["Worker-3.example.com."] },
  "addresses of both families": { ipAddresses: ["10.0.0.3", "fd00::3"] },
};

const REFUSED: Record<string, [Parameters<typeof withSan>[0], string]> = {
  "a wildcard": [{ dnsNames: ["*.example.com"] }, "WildcardRequested"],
  localhost: [{ dnsNames: ["localhost"] }, "LoopbackRequested"],
  "localhost with a dot": [{ dnsNames: ["a.LOCALHOST."] }, "LoopbackRequested"],
  "the API server": [{ dnsNames: ["kubernetes.default"] }, "ServiceNameRequested"],
  "a service": [{ dnsNames: ["db.prod.svc.cluster.local"] }, "ServiceNameRequested"],
  "a name with a blank": [{ dnsNames: ["worker 3"] }, "NameIsInvalid"],
  "an address as a name": [{ dnsNames: ["10.0.0.3"] }, "NameIsInvalid"],
  "a name of 254 characters": [{ dnsNames: [`${"a".repeat(63)}.`.repeat(4)] }, "NameIsInvalid"],
  "the loopback address": [{ ipAddresses: ["127.0.0.53"] }, "LoopbackRequested"],
  "the loopback address of IPv6": [{ ipAddresses: ["::1"] }, "LoopbackRequested"],
  "no address": [{ ipAddresses: ["0.0.0.0"] }, "NameIsInvalid"],
  "a link-local address": [{ ipAddresses: ["fe80::1"] }, "NameIsInvalid"],
  "a multicast address": [{ ipAddresses: ["224.0.0.1"] }, "NameIsInvalid"],
  "an IPv4 address in an IPv6 coat": [{ ipAddresses: ["::ffff:10.0.0.3"] }, "NameIsInvalid"],
};

describe("names-are-plain", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, names) => {
    expect(namesArePlain.judge(factsOf(aCsr(withSan(names)), { policy: aPolicy() }))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [names, reason]) => {
    const facts = factsOf(aCsr(withSan(names)), { policy: aPolicy() });
    expect(namesArePlain.judge(facts)).toMatchObject({ kind: "Deny", reason });
  });

  it("bounds how many there may be", () => {
    const policy = aPolicy({ serving: { maxNames: 2 } });
    const asking = (count: number) => aCsr(withSan({ dnsNames: Array.from({ length: count }, (_, i) => `n${i}`) }));
    expect(namesArePlain.judge(factsOf(asking(2), { policy }))).toEqual({ kind: "Pass" });
    expect(namesArePlain.judge(factsOf(asking(3), { policy }))).toMatchObject({ kind: "Deny", reason: "TooManyNames" });
  });
});
