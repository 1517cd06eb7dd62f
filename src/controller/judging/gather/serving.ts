// The reads that only a serving request needs: whose the names are, and, where the policy asks for it, what DNS and the
// kubelet's present certificate say. Failures on the way are "not read", never "not there".

import { NODE_USER_PREFIX } from "../../../api/certificates/index.ts";
import { canonicalDns, claimantOf, type Inventory } from "../../../api/countersign/index.ts";
import type { ServingFacts } from "../facts.ts";
import { addressesOfMachine } from "../facts.ts";
import { type GatherOptions, machineQuery, type PlainLook } from "../look.ts";

const NOT_ASKED = { kind: "NotRead", why: "nobody asked" } as const;

export const NO_SERVING: ServingFacts = {
  present: NOT_ASKED,
  resolved: new Map(),
  foreign: NOT_ASKED,
  disputed: new Map(),
  apiServer: NOT_ASKED,
};

export async function gatherServing(options: GatherOptions, look: PlainLook): Promise<ServingFacts> {
  const { nodeName, policy, reading, signal } = look;
  if (nodeName === undefined || policy === undefined || reading.kind !== "Readable") return NO_SERVING;
  const { dnsNames = [], ipAddresses = [] } = reading.request.subjectAltNames ?? {};
  const names = [...dnsNames.map(canonicalDns), ...ipAddresses];
  if (names.length > policy.serving.maxNames) return NO_SERVING;
  // Others than the node are refused without it (requester-is-the-node): a stranger's requests must not make this
  // controller wait for a kubelet that does not answer, while the node's own requests wait for them.
  const isNode = look.requester.username === `${NODE_USER_PREFIX}${nodeName}`;
  const [present, resolved, apiServer] = await Promise.all([
    isNode && policy.serving.renewal === "Allow" ? options.network.presentNames(look.csr, nodeName, signal) : NOT_ASKED,
    isNode ? resolveAll(options, policy.serving.inventory, dnsNames, signal) : new Map<never, never>(),
    options.network.apiServer(signal),
  ]);
  return { present, resolved, apiServer, ...seeForeign(options, look, names) };
}

async function resolveAll(
  { network }: GatherOptions,
  { dns }: Inventory,
  dnsNames: readonly string[],
  signal: AbortSignal,
): Promise<ServingFacts["resolved"]> {
  if (!dns) return new Map();
  const canonical = [...new Set(dnsNames.map(canonicalDns))];
  return new Map(
    await Promise.all(canonical.map(async (name) => [name, await network.resolve(name, signal)] as const)),
  );
}

/**
 * A Node's own name is a name that it has, whatever its addresses say. Those a kubelet writes itself: what the
 * infrastructure says of this node's Machine counts before what a neighbour says of itself, or one machine could take
 * all others' addresses.
 */
function seeForeign(
  options: GatherOptions,
  look: PlainLook,
  names: readonly string[],
): Pick<ServingFacts, "foreign" | "disputed"> {
  const query = machineQuery(look);
  if (query === undefined || !options.hasSynced())
    return { foreign: { kind: "NotRead", why: "the list of nodes is not complete yet" }, disputed: new Map() };
  const { machines, nodesNamed } = options.surroundings;
  const { nodeName: asking } = query;
  const inventory = look.policy?.serving.inventory;
  const given = addressesOfMachine(machines.find(query));
  const isGiven = (name: string) => name === asking || (given.kind === "Present" && given.value.has(name));
  const owners = new Map<string, string>(machines.ownersOf(names, query));
  const disputed = new Map<string, string>();
  for (const name of names) {
    const others = nodesNamed(name).flatMap(({ metadata }) => (metadata.name === asking ? [] : (metadata.name ?? [])));
    const claimant = isGiven(name) ? undefined : claimantOf(name, { asking, others, inventory });
    if (others.includes(name)) owners.set(name, `node ${name}`);
    else if (claimant !== undefined) disputed.set(name, claimant);
  }
  return { foreign: { kind: "Present", value: owners }, disputed };
}
