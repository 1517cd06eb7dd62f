// What is kept of a Machine, and under which words it is found: by every name its node may have, by provider ID, by the
// node it already is, by each of its addresses, by its place: namespace and cluster. Pure.

import { canonicalDns, MACHINE_NAME_SOURCES } from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import { namesOf } from "../judging/facts.ts";
import { providerKey } from "../judging/pending.ts";
import { type ClusterName, isOfCluster } from "./cluster-name.ts";

/** An object for the informer, with nothing in it but the view. */
export interface KnownMachine extends KubeObject {
  readonly machine: Machine;
}

export const NAME_INDEX = "name";
export const ADDRESS_INDEX = "address";
export const PLACE_INDEX = "place";
export const UID_INDEX = "uid";
/** Every Machine that counts, all under the empty word. */
export const ALL_INDEX = "all";
/** Machines without a Node, all under the empty word. */
export const WAITING_INDEX = "waiting";

/** A source and a name in one word: `Hostname worker-1`. */
export function nameKey(source: string, name: string): string {
  return `${source} ${name}`;
}

/** The source for the node that a Machine already is. */
export const NODE_SOURCE = "Node";

type Index = (known: KnownMachine) => readonly string[];

const INDEXES: Readonly<Record<string, (machine: Machine) => readonly string[]>> = {
  [ALL_INDEX]: () => [""],
  [NAME_INDEX]: nameKeysOf,
  [ADDRESS_INDEX]: ({ addresses }) => [...namesOf(addresses)],
  [PLACE_INDEX]: (machine) => [placeOf(machine)],
  [UID_INDEX]: ({ uid }) => [uid],
  [WAITING_INDEX]: ({ nodeName }) => (nodeName === undefined ? [""] : []),
};

/** Machines of another cluster have no index key at all: whatever a request or a policy says, they are not found. */
export function indexesOfMachines(cluster?: ClusterName): Readonly<Record<string, Index>> {
  return Object.fromEntries(
    Object.entries(INDEXES).map(([name, wordsOf]): [string, Index] => [
      name,
      ({ machine }) => (isOfCluster(machine, cluster) ? wordsOf(machine) : []),
    ]),
  );
}

export function nameKeysOf({ name, nodeName, providerId, addresses }: Machine): readonly string[] {
  const sources: readonly string[] = MACHINE_NAME_SOURCES;
  return [
    nameKey("MachineName", name),
    ...(nodeName === undefined ? [] : [nameKey(NODE_SOURCE, nodeName)]),
    ...(providerId === undefined ? [] : [nameKey("ProviderID", providerId)]),
    ...addresses.flatMap(({ type, address }) => (sources.includes(type) ? [nameKey(type, canonicalDns(address))] : [])),
  ];
}

/** `namespace/cluster`, and `namespace/` where it says none: two clusters in two namespaces may well have one name. */
export function placeOf({ namespace, clusterName = "" }: Pick<Machine, "namespace" | "clusterName">): string {
  return `${namespace}/${clusterName}`;
}

/** Requests wait under the name of their node or under their provider ID. */
export function pendingKeysOf(known: KnownMachine | undefined): readonly string[] {
  if (known === undefined) return [];
  const { name, nodeName, providerId, addresses } = known.machine;
  return [
    name,
    ...namesOf(addresses),
    ...(nodeName === undefined ? [] : [nodeName]),
    ...(providerId === undefined ? [] : [providerKey(providerId)]),
  ];
}
