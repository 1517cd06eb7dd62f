// Of the Machines that may be a node's, the one that is. A Machine that already is the node counts before one that only
// has its name; two of equal right are two, never the first of a list. Pure.

import { canonicalDns } from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import { type MachineMatch, namesOf } from "../judging/facts.ts";
import type { MachineInventory, MachineQuery } from "../judging/look.ts";
import {
  type KnownMachine,
  NAME_INDEX,
  NODE_SOURCE,
  nameKey,
  nameKeysOf,
  PLACE_INDEX,
  placeOf,
} from "./known-machine.ts";

/** Under which words the Machine may be found. */
export function lookUpKeys({ nodeName, providerId, nameFrom }: MachineQuery): readonly string[] {
  return [
    nameKey(NODE_SOURCE, nodeName),
    ...nameFrom.flatMap((source) => {
      if (source !== "ProviderID") return [nameKey(source, canonicalDns(nodeName))];
      return providerId === undefined ? [] : [nameKey(source, providerId)];
    }),
  ];
}

export type Scope = Pick<MachineQuery, "clusterName" | "namespace">;

/** Machines of other clusters do not count here: their names may well be the same. */
export function isInScope(
  machine: Pick<Machine, "clusterName" | "namespace">,
  { clusterName, namespace }: Scope,
): boolean {
  if (namespace !== undefined && machine.namespace !== namespace) return false;
  return clusterName === undefined || machine.clusterName === clusterName;
}

/** Whether one of these places (`placeOf`) is looked at: a handful of words, however many Machines there are. */
export function hasPlaceIn(places: Iterable<string>, scope: Scope): boolean {
  for (const place of places) if (isInScope(readPlace(place), scope)) return true;
  return false;
}

/** Of these places, each once. */
export function namespacesIn(places: readonly string[]): readonly string[] {
  return [...new Set(places.map((place) => readPlace(place).namespace))];
}

/** Neither a namespace nor the name of a cluster has a slash. */
function readPlace(place: string): Pick<Machine, "clusterName" | "namespace"> {
  const slash = place.indexOf("/");
  return { namespace: place.slice(0, slash), clusterName: place.slice(slash + 1) || undefined };
}

type UnsaidCluster = Extract<MachineMatch, { kind: "ClusterIsUnsaid" }>;

/** Two clusters have Machines in what the policy looks at, and it is not said which is meant: then none is. */
export function unsaidCluster(places: readonly string[], scope: Scope): UnsaidCluster | undefined {
  const inScope = places.filter((place) => {
    const read = readPlace(place);
    return read.clusterName !== undefined && isInScope(read, scope);
  });
  const different = [...new Set(inScope)].sort();
  return different.length < 2 ? undefined : { kind: "ClusterIsUnsaid", clusters: different };
}

export function chooseMachine(found: readonly Machine[], { nodeName, providerId }: MachineQuery): Seen<MachineMatch> {
  const own = found.filter((machine) => machine.nodeName === nodeName);
  const living = found.filter(({ isDeleting }) => !isDeleting);
  // Where the old Machine of a name goes and the new one has come, the new one is meant.
  const [machine, ...others] = [own, living, found].find((some) => some.length > 0) ?? [];
  if (machine === undefined) return { kind: "Absent" };
  if (others.length > 0) {
    const names = [machine, ...others].map(({ namespace, name }) => `${namespace}/${name}`);
    const nodeNames = [machine, ...others].flatMap(({ nodeName: node }) => node ?? []);
    return { kind: "Present", value: { kind: "Several", names, nodeNames } };
  }
  if (providerId !== undefined && machine.providerId !== undefined && machine.providerId !== providerId) {
    return { kind: "Present", value: { kind: "OtherProviderId", machine, providerId } };
  }
  return { kind: "Present", value: { kind: "One", machine } };
}

/** For each name that Machines other than the node's own have: one of them. */
export function ownersAmong(
  names: readonly string[],
  query: MachineQuery,
  find: (name: string) => readonly Machine[],
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const name of names) {
    const other = find(name).find((machine) => isInScope(machine, query) && !isOwn(machine, query));
    if (other !== undefined) owners.set(name, `Machine ${other.namespace}/${other.name}`);
  }
  return owners;
}

function isOwn({ nodeName, name, addresses }: Machine, query: MachineQuery): boolean {
  if (nodeName !== undefined) return nodeName === query.nodeName;
  const wanted = canonicalDns(query.nodeName);
  return name === query.nodeName || addresses.some(({ address }) => canonicalDns(address) === wanted);
}

// Machines in the copies of their kinds, by the index keys under which they are kept: no lookup walks over all of them.
/** Of each kind that is served. */
type Copies = readonly Pick<Informer<KnownMachine>, "byIndex" | "indexValues">[];

/** Those with exactly this provider ID; absent where the scope has no Machine at all. */
export function machinesByProviderId(copies: Copies, providerId: string, scope: Scope): Seen<readonly Machine[]> {
  if (!hasPlaceIn(placesOf(copies), scope)) return { kind: "Absent" };
  const found = byIndex(copies, NAME_INDEX, nameKey("ProviderID", providerId));
  return { kind: "Present", value: found.filter((machine) => isInScope(machine, scope)) };
}

/** A handful of words, however many Machines there are. */
export function placesOf(copies: Copies): readonly string[] {
  return copies.flatMap((copy) => Array.from(copy.indexValues(PLACE_INDEX), ([place]) => place));
}

export function byIndex(copies: Copies, index: string, value: string): readonly Machine[] {
  return copies.flatMap((copy) => copy.byIndex(index, value).map(({ machine }) => machine));
}

// The same answers from a list of Machines that does not change: for rehearsals.
export function machinesOf(machines: readonly Machine[]): MachineInventory {
  return {
    find: (query) => {
      const unsaid = unsaidCluster(machines.map(placeOf), query);
      if (unsaid !== undefined) return { kind: "Present", value: unsaid };
      const keys = new Set(lookUpKeys(query));
      const found = machines.filter(
        (machine) => isInScope(machine, query) && nameKeysOf(machine).some((key) => keys.has(key)),
      );
      return chooseMachine(found, query);
    },
    ownersOf: (names, query) =>
      ownersAmong(names, query, (name) => machines.filter(({ addresses }) => namesOf(addresses).has(name))),
    count: () => machines.length,
  };
}
