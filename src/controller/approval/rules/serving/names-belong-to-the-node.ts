// Every name must be the node's by something that the policy trusts: its Machine, its Node, a network, a pattern, DNS, a list,
// or the certificate that it serves with now. What is not vouched for is refused; but where a source that could still vouch has
// not spoken (no addresses yet, no answer), the request waits: nothing transient becomes a refusal.

import { nodeNameOf } from "../../../../api/certificates/index.ts";
import { canonicalDns, compileName, isInPrefix, matchesName, type Policy } from "../../../../api/countersign/index.ts";
import type { CertificateRequest } from "../../../../kernel/x509/index.ts";
import type { ApprovalFacts, PresentNames } from "../../facts.ts";
import { addressesOfMachine, addressesOfNode } from "../../known-addresses.ts";
import {
  type Finding,
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "../rule.ts";

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
 * DNS carries from one name of the node to the next, and begins nothing: the whole world's names resolve. Where the node's own
 * name leads, or one that another source vouches for, is the node; a name is the node's when it leads nowhere else.
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
