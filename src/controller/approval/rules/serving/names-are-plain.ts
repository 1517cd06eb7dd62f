// Names that no node has, whoever says so: patterns, the machine's own inside (loopback), everybody's (unspecified, multicast,
// link-local), the API server's and other services'.

import { canonicalDns, canonicalIp, type IpPrefix, isInPrefix } from "../../../../api/countersign/index.ts";
import { parseIpAddress } from "../../../../kernel/x509/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { type Finding, pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

/** Without a policy nothing is approved; this is only to have a bound. */
const DEFAULT_MAX_NAMES = 32;
const DNS_MAX_CHARACTERS = 253;
const HOST_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LOCAL_NAME = /(^|\.)(localhost|localhost\.localdomain|local-host)$/;
const SERVICE_NAME = /^kubernetes(\.default)?$|\.svc$|\.svc\.[a-z0-9.-]+$/;

export const namesArePlain: Rule<ApprovalFacts> = {
  id: "names-are-plain",
  sentence: "every name is a host name or an address that one node can have",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["TooManyNames", "WildcardRequested", "LoopbackRequested", "ServiceNameRequested", "NameIsInvalid"],
  ],
  judge: withRequest(({ subjectAltNames }, { policy }) => {
    const { dnsNames = [], ipAddresses = [] } = subjectAltNames ?? {};
    const max = policy?.serving.maxNames ?? DEFAULT_MAX_NAMES;
    const count = dnsNames.length + ipAddresses.length;
    if (count > max) return refuse("TooManyNames", `the request asks for ${count} names, expected at most ${max}`);
    const findings = [...dnsNames.map(judgeDns), ...ipAddresses.map(judgeIp)];
    return findings.find(({ kind }) => kind !== "Pass") ?? pass();
  }),
};

function judgeDns(name: string): Finding {
  const text = JSON.stringify(name);
  const canonical = canonicalDns(name);
  if (name.includes("*"))
    return refuse("WildcardRequested", `the request asks for the pattern ${text}, expected a name`);
  if (LOCAL_NAME.test(canonical))
    return refuse("LoopbackRequested", `the request asks for ${text}, which is every machine's`);
  if (SERVICE_NAME.test(canonical))
    return refuse("ServiceNameRequested", `the request asks for ${text}, which is a service's`);
  const isHost = canonical.length <= DNS_MAX_CHARACTERS && HOST_NAME.test(canonical);
  if (!isHost || parseIpAddress(canonical) !== undefined) {
    return refuse("NameIsInvalid", `the request asks for the DNS name ${text}, expected a host name`);
  }
  return pass();
}

function judgeIp(ip: string): Finding {
  const canonical = canonicalIp(ip) ?? "";
  if (canonical !== ip)
    return refuse("NameIsInvalid", `the request asks for the address ${ip}, expected it as ${canonical}`);
  const [what] = UNFIT.find(([, prefix]) => isInPrefix(ip, prefix)) ?? [];
  if (what === undefined) return pass();
  return refuse(
    what === "loopback" ? "LoopbackRequested" : "NameIsInvalid",
    `the request asks for the address ${ip}, which is ${what}`,
  );
}

function network(text: string, bits: number): IpPrefix {
  return { text, octets: parseIpAddress(text) ?? new Uint8Array(4), bits };
}

const UNFIT: readonly (readonly [string, IpPrefix])[] = [
  ["loopback", network("127.0.0.0", 8)],
  ["loopback", network("::1", 128)],
  ["unspecified", network("0.0.0.0", 8)],
  ["unspecified", network("::", 128)],
  ["link-local", network("169.254.0.0", 16)],
  ["link-local", network("fe80::", 10)],
  ["multicast", network("224.0.0.0", 4)],
  ["multicast", network("ff00::", 8)],
  ["broadcast", network("255.255.255.255", 32)],
];
