// The reads that only a serving request needs: whose the names are, and, where the policy asks for it, what DNS and the
// kubelet's present certificate say. Failures on the way are "not read", never "not there".

import { canonicalDns, type Inventory } from "../../api/countersign/index.ts";
import type { Seen, ServingFacts } from "./facts.ts";
import { type GatherOptions, type Look, machineQuery } from "./look.ts";

const NOT_ASKED = { kind: "NotRead", why: "nobody asked" } as const;

export const NO_SERVING: ServingFacts = { present: NOT_ASKED, resolved: new Map(), foreign: NOT_ASKED };

export async function gatherServing(options: GatherOptions, look: Look): Promise<ServingFacts> {
  const { nodeName, policy, reading, signal } = look;
  if (nodeName === undefined || policy === undefined || reading.kind !== "Readable") return NO_SERVING;
  const { dnsNames = [], ipAddresses = [] } = reading.request.subjectAltNames ?? {};
  const names = [...dnsNames.map(canonicalDns), ...ipAddresses];
  if (names.length > policy.serving.maxNames) return NO_SERVING;
  const [present, resolved] = await Promise.all([
    policy.serving.renewal === "Allow" ? options.network.presentNames(look.csr, nodeName, signal) : NOT_ASKED,
    resolveAll(options, policy.serving.inventory, dnsNames, signal),
  ]);
  return { present, resolved, foreign: seeForeign(options, look, names) };
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

/** A Node's own name is a name that it has, whatever its addresses say. */
function seeForeign(options: GatherOptions, look: Look, names: readonly string[]): Seen<ReadonlyMap<string, string>> {
  const query = machineQuery(look);
  if (query === undefined || !options.hasSynced())
    return { kind: "NotRead", why: "the list of nodes is not complete yet" };
  const machines = options.surroundings.machines.ownersOf(names, query);
  const owners = new Map<string, string>(machines);
  for (const name of names) {
    const other = options.surroundings.nodesNamed(name).find(({ metadata }) => metadata.name !== look.nodeName);
    if (other !== undefined) owners.set(name, `node ${other.metadata.name ?? ""}`);
  }
  return { kind: "Present", value: owners };
}
