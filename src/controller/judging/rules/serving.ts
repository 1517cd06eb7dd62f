// Rules about the names of a serving request: whose they are, and who vouches for them. Pure.

import { nodeNameOf } from "../../../api/certificates/index.ts";
import {
  canonicalDns,
  canonicalIp,
  compileName,
  describeDispute,
  type IpPrefix,
  isInPrefix,
  matchesName,
  type Policy,
} from "../../../api/countersign/index.ts";
import { type CertificateRequest, parseIpAddress } from "../../../kernel/x509/index.ts";
import type { ApiServerNames, ApprovalFacts, PresentNames } from "../facts.ts";
import { addressesOfMachine, addressesOfNode } from "../facts.ts";
import {
  type Finding,
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "./rule.ts";

// Kubernetes approves no serving certificate by rule: which names are a node's is the operator's knowledge. A
// JoinPolicy says where it is kept; without one the request waits for a person, and says so.
/** A new policy brings the request back at once. */
const RETRY_MS = 600_000;

export const servingIsCovered: Rule<ApprovalFacts> = {
  id: "serving-is-covered",
  sentence: "a JoinPolicy covers the request and lets serving certificates be approved by rule",
  reasons: ["ServingNeedsAPolicy", "ServingIsLeftToPeople"],
  judge: ({ policy }) => {
    if (policy === undefined) {
      return notYet(
        "ServingNeedsAPolicy",
        "no JoinPolicy says which names are a node's; make one, or approve by hand",
        RETRY_MS,
      );
    }
    if (policy.serving.approve) return pass(policy.name);
    return notYet("ServingIsLeftToPeople", `policy ${policy.name} leaves serving certificates to people`, RETRY_MS);
  },
};

// Names that no node has, whatever vouches for them: patterns, loopback, addresses of many (unspecified, multicast,
// link-local), the API server's and other services'.
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

// A server under the API server's name can stand between it and all its clients, and the CA of serving certificates is
// the one by which clients know the API server. The names and addresses of its Service are no node's at all. The host
// behind it is a control-plane node's own, by a word that the node cannot give itself: a kubelet writes the addresses
// of its own Node, but neither its Machine nor, under NodeRestriction, the label of a control plane.
/** With whatever domain the cluster has behind it. */
const API_SERVICE_NAME = /^kubernetes(\.default(\.svc(\..+)?)?)?$/;
const NOTHING: ApiServerNames = { service: new Set(), hosts: new Set() };

export const namesAreNotTheApiServers: Rule<ApprovalFacts> = {
  id: "names-are-not-the-api-servers",
  sentence: "no name or address is that of the API server, unless the node is known to be its host",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["ApiServerIsNotRead", "ApiServerNameRequested", "ApiServerAddressRequested", "HostIsNotKnownYet"],
  ],
  judge: withRequest(({ subject, subjectAltNames }, facts) => {
    const { apiServer } = facts.serving;
    if (apiServer.kind === "NotRead") return notYet("ApiServerIsNotRead", apiServer.why, RETRY_UNREAD_MS);
    const known = apiServer.kind === "Present" ? apiServer.value : NOTHING;
    const { dnsNames = [], ipAddresses = [] } = subjectAltNames ?? {};
    const names = [...dnsNames.map(canonicalDns), ...ipAddresses];
    const service = names.find((name) => API_SERVICE_NAME.test(name) || known.service.has(name));
    if (service !== undefined) {
      const text = `${JSON.stringify(service)} is of the Service of the API server, and no node's`;
      return refuse("ApiServerNameRequested", text);
    }
    const host = names.find((name) => known.hosts.has(name) && !isOwn(name, nodeNameOf(subject.commonName), facts));
    return host === undefined ? pass() : judgeHost(host, facts);
  }),
};

/** By the infrastructure, by the label that only an administrator sets, or by the policy's own list. */
function isOwn(name: string, nodeName: string | undefined, { machine, node, policy }: ApprovalFacts): boolean {
  const given = addressesOfMachine(machine);
  if (given.kind === "Present" && given.value.has(name)) return true;
  if (policy !== undefined && isListed(name, nodeName ?? "", policy)) return true;
  const said = addressesOfNode(node);
  return node.kind === "Present" && node.value.isControlPlane && said.kind === "Present" && said.value.has(name);
}

function isListed(name: string, nodeName: string, { serving: { inventory } }: Policy): boolean {
  return inventory.allow.some(
    ({ nodeNames, names }) => matchesName(nodeNames, nodeName) && names.map(canonicalDns).includes(name),
  );
}

/** A Machine whose addresses come late may still be the host: nothing transient becomes a refusal. */
function judgeHost(name: string, { machine, policy }: ApprovalFacts): Finding {
  const text = `the API server is reached at ${JSON.stringify(name)}, and neither the node's Machine nor the label of a control plane says that it is the node's`;
  const given = addressesOfMachine(machine);
  if (policy?.serving.inventory.machineAddresses === true && given.kind === "NotRead")
    return notYet("HostIsNotKnownYet", `${text}; but ${given.why}`, RETRY_SLOWLY_MS);
  return refuse("ApiServerAddressRequested", text);
}

// Whatever vouches for a name: when another Node or Machine has it, it is not this node's. A network or a pattern in
// the policy covers every node in it, and must not let one speak for its neighbour. A Node's addresses are its
// kubelet's own word: they stop the request, but do not end it, or one compromised node could have every other's
// serving request denied.
export const namesAreOfNoOtherNode: Rule<ApprovalFacts> = {
  id: "names-are-of-no-other-node",
  sentence: "no other node and no other Machine has any of the names",
  reasons: [...UNREADABLE_REASONS, "NodesAreNotRead", "NameIsAnotherNodes", "NameIsDisputed"],
  judge: withRequest(({ subjectAltNames, subject }, { serving: { foreign, disputed } }) => {
    if (foreign.kind === "NotRead") return notYet("NodesAreNotRead", foreign.why, RETRY_UNREAD_MS);
    const owners = foreign.kind === "Present" ? foreign.value : new Map<string, string>();
    const { dnsNames = [], ipAddresses = [] } = subjectAltNames ?? {};
    const names = [...dnsNames.map(canonicalDns), ...ipAddresses];
    const taken = names.find((name) => owners.has(name));
    if (taken !== undefined)
      return refuse("NameIsAnotherNodes", `${JSON.stringify(taken)} belongs to ${owners.get(taken)}`);
    const claimed = names.find((name) => disputed.has(name));
    if (claimed === undefined) return pass();
    const asking = nodeNameOf(subject.commonName) ?? "";
    return notYet("NameIsDisputed", describeDispute(claimed, asking, disputed.get(claimed) ?? ""), RETRY_SLOWLY_MS);
  }),
};

// Every name must be the node's by something that the policy trusts: its Machine, its Node, a network, a pattern, DNS,
// a list, or the certificate that it serves with now. What is not vouched for is refused; but where a source that could
// still vouch has not spoken (no addresses yet, no answer), the request waits: nothing transient becomes a refusal.
export const namesBelongToTheNode: Rule<ApprovalFacts> = {
  id: "names-belong-to-the-node",
  sentence:
    "every name is the node's by its Machine, its Node, or the policy's inventory, or is in its present certificate",
  reasons: [...UNREADABLE_REASONS, "AddressesAreMissing", "NameIsNotTheNodes"],
  judge: withRequest((request, facts) => {
    const { policy } = facts;
    if (policy === undefined) return refuse("NameIsNotTheNodes", "no policy says which names are the node's");
    if (policy.serving.renewal === "Allow" && isPresent(request, facts))
      return pass("the names of its present certificate");
    const sources = sourcesOf(policy, facts, nodeNameOf(request.subject.commonName) ?? "");
    const { dnsNames = [], ipAddresses = [] } = request.subjectAltNames ?? {};
    const stray = [...dnsNames.map(canonicalDns), ...ipAddresses].find((name) => !sources.some(({ has }) => has(name)));
    return stray === undefined ? pass(`by ${sources.map(({ what }) => what).join(", ")}`) : judgeStray(stray, sources);
  }),
};

interface Source {
  readonly what: string;
  /** Why this source cannot speak yet. */
  readonly missing?: string;
  has(name: string): boolean;
}

function judgeStray(name: string, sources: readonly Source[]): Finding {
  const missing = sources.flatMap((source) => source.missing ?? []);
  const text = `${JSON.stringify(name)} is not the node's by ${sources.map(({ what }) => what).join(", ") || "anything"}`;
  if (missing.length > 0) return notYet("AddressesAreMissing", `${text}; but ${missing.join(", ")}`, RETRY_SLOWLY_MS);
  return refuse("NameIsNotTheNodes", text);
}

function sourcesOf({ serving: { inventory } }: Policy, facts: ApprovalFacts, nodeName: string): readonly Source[] {
  const { machineAddresses, nodeAddresses, ipPrefixes, dnsPattern, dns, allow } = inventory;
  const allowed = new Set(
    allow.filter(({ nodeNames }) => matchesName(nodeNames, nodeName)).flatMap(({ names }) => names.map(canonicalDns)),
  );
  const sources: readonly Source[] = [
    ...(machineAddresses ? [known("the Machine's addresses", addressesOfMachine(facts.machine))] : []),
    ...(nodeAddresses ? [known("the Node's addresses", addressesOfNode(facts.node))] : []),
    ...(ipPrefixes.length > 0
      ? [{ what: "the networks", has: (name: string) => ipPrefixes.some((prefix) => isInPrefix(name, prefix)) }]
      : []),
    ...(dnsPattern === undefined ? [] : [patternSource(dnsPattern, nodeName)]),
    ...(allow.length > 0 ? [{ what: "the list", has: (name: string) => allowed.has(name) }] : []),
  ];
  return dns ? [...sources, dnsSource(facts, nodeName, sources)] : sources;
}

function known(what: string, addresses: ReturnType<typeof addressesOfMachine>): Source {
  if (addresses.kind === "NotRead") return { what, missing: addresses.why, has: () => false };
  const names = addresses.kind === "Present" ? addresses.value : new Set<string>();
  return { what, has: (name) => names.has(name) };
}

function patternSource(dnsPattern: string, nodeName: string): Source {
  const pattern = compileName(
    dnsPattern.replaceAll("{node}", escapeText(nodeName)),
    "spec.serving.inventory.dnsPattern",
  );
  return { what: "the pattern", has: (name) => matchesName(pattern, name) };
}

/** The node's name is text, not a pattern: its dots are dots. */
function escapeText(text: string): string {
  return text.replaceAll(/[^a-z0-9-]/g, (character) => `\\${character}`);
}

/**
 * DNS carries from one name of the node to the next, and begins nothing: the whole world's names resolve. Where the
 * node's own name leads, or one that another source vouches for, is the node; a name is the node's when it leads
 * nowhere else.
 */
function dnsSource({ serving: { resolved } }: ApprovalFacts, nodeName: string, others: readonly Source[]): Source {
  const unread = [...resolved].flatMap(([name, { kind }]) => (kind === "NotRead" ? [name] : []));
  const isKnown = (name: string) => name === nodeName || others.some(({ has }) => has(name));
  const addressesOf = (name: string) => {
    const seen = resolved.get(name);
    return seen?.kind === "Present" ? seen.value : [];
  };
  const reached = new Set([...resolved.keys()].filter(isKnown).flatMap(addressesOf));
  const isReached = (address: string) => reached.has(address) || isKnown(address);
  return {
    what: "DNS",
    ...(unread.length === 0 ? {} : { missing: `DNS did not answer for ${unread.join(", ")}` }),
    has: (name) => reached.has(name) || (addressesOf(name).length > 0 && addressesOf(name).every(isReached)),
  };
}

/** Exactly the names of the certificate that the node's kubelet presents, in whatever order. */
function isPresent({ subject, subjectAltNames }: CertificateRequest, { serving: { present } }: ApprovalFacts): boolean {
  if (present.kind !== "Present" || present.value.commonName !== subject.commonName) return false;
  const asked: Pick<PresentNames, "dnsNames" | "ipAddresses"> = subjectAltNames ?? { dnsNames: [], ipAddresses: [] };
  return (
    textOf(asked.dnsNames.map(canonicalDns)) === textOf(present.value.dnsNames.map(canonicalDns)) &&
    textOf(asked.ipAddresses) === textOf(present.value.ipAddresses)
  );
}

function textOf(names: readonly string[]): string {
  return [...names].sort().join("\n");
}
