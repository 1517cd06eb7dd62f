// The Machines of the cluster: Cluster API's in the version that is served, and OpenShift's, read by paths (api/foreign) and kept
// small. Which one is a node's is answered from indexes, so ten thousand Machines cost no more than ten.

import type { Machine } from "../../api/foreign/index.ts";
import { MACHINE_RESOURCES, readMachine } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { createInformer, type Informer, type InformerOptions, type KubeClient } from "../../platform/kube/index.ts";
import type { MachineInventory, MachineMatch, MachineQuery } from "../approval/index.ts";
import { createFollower, type Follower } from "../served/index.ts";
import type { ClusterName } from "./cluster-name.ts";
import {
  ADDRESS_INDEX,
  ALL_INDEX,
  CLUSTER_INDEX,
  indexesOfMachines,
  type KnownMachine,
  NAME_INDEX,
  nameKey,
  pendingKeysOf,
  UID_INDEX,
  WAITING_INDEX,
} from "./known-machine.ts";
import { chooseMachine, isInScope, lookUpKeys, ownersAmong, unsaidCluster } from "./match.ts";

export { type ClusterName, isOfCluster, parseClusterName } from "./cluster-name.ts";
export { createMachinePools, type ExpectedMachines, expectMachines, type MachinePools } from "./pools.ts";
export { machinesOf } from "./static.ts";

export interface Machines extends MachineInventory {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Called with the keys under which requests may wait for the Machine that changed. */
  onChange(handler: (keys: readonly string[]) => void): void;
  /** Those with exactly this provider ID; absent where the scope has no Machine at all. For attestation. */
  byProviderId(providerId: string, scope: Pick<MachineQuery, "clusterName" | "namespace">): Seen<readonly Machine[]>;
  /** By uid: whether the Machine is still there. */
  has(uid: string): boolean;
  /** Those that have no Node yet. */
  countAwaiting(): number;
  run(signal: AbortSignal): Promise<void>;
}

export type MachineWorld = Pick<InformerOptions, "clock" | "random" | "log"> & { readonly lookAgainMs?: number };

/** `cluster`: only its Machines count, and only those of its namespace are read. */
export function createMachines(client: KubeClient, world: MachineWorld, cluster?: ClusterName): Machines {
  const indexes = indexesOfMachines(cluster);
  const groups = [...new Set(MACHINE_RESOURCES.map(({ group }) => group))];
  const followers = groups.map(
    (group): Follower<KnownMachine> =>
      createFollower({
        ...world,
        client,
        candidates: MACHINE_RESOURCES.filter((resource) => resource.group === group),
        createInformer: (resource) =>
          createInformer<KnownMachine>(client, resource, {
            ...{ ...world, keep: keepOfMachine, indexes },
            namespace: cluster?.namespace,
          }),
      }),
  );
  const informers = () => followers.flatMap((follower) => follower.informer() ?? []);
  const hasSynced = () => followers.every((follower) => follower.hasSynced());
  return {
    find: (query) => (hasSynced() ? find(informers(), query) : UNSYNCED),
    ownersOf: (names, query) => ownersAmong(names, query, (name) => byIndex(informers(), ADDRESS_INDEX, name)),
    count: () => informers().reduce((sum, informer) => sum + informer.countByIndex(ALL_INDEX, ""), 0),
    byProviderId: (providerId, scope) => {
      if (!hasSynced()) return UNSYNCED;
      const all = informers();
      const isOurs = (machine: Machine) => isInScope(machine, { ...ANY_QUERY, ...scope });
      if (!byIndex(all, ALL_INDEX, "").some(isOurs)) return { kind: "Absent" };
      const found = byIndex(all, NAME_INDEX, nameKey("ProviderID", providerId));
      return { kind: "Present", value: found.filter(isOurs) };
    },
    has: (uid) => informers().some((informer) => informer.countByIndex(UID_INDEX, uid) > 0),
    countAwaiting: () => informers().reduce((sum, informer) => sum + informer.countByIndex(WAITING_INDEX, ""), 0),
    hasSynced,
    waitForSync: async (signal) => void (await Promise.all(followers.map((follower) => follower.waitForSync(signal)))),
    onChange: (handler) => {
      for (const follower of followers) {
        follower.onChange(({ object, previous }) => handler([...new Set([object, previous].flatMap(pendingKeysOf))]));
      }
    },
    run: async (signal) => void (await Promise.all(followers.map((follower) => follower.run(signal)))),
  };
}

const ANY_QUERY = { nodeName: "", providerId: undefined, nameFrom: [] } as const;

const UNSYNCED = { kind: "NotRead", why: "the list of Machines is not complete yet" } as const;

function find(informers: readonly Informer<KnownMachine>[], query: MachineQuery): Seen<MachineMatch> {
  const clusters = informers.flatMap((informer) => Array.from(informer.indexValues(CLUSTER_INDEX), ([name]) => name));
  const unsaid = unsaidCluster(clusters, query);
  if (unsaid !== undefined) return { kind: "Present", value: unsaid };
  const found = new Map<string, Machine>();
  for (const key of lookUpKeys(query)) {
    for (const machine of byIndex(informers, NAME_INDEX, key)) {
      if (isInScope(machine, query)) found.set(machine.uid, machine);
    }
  }
  return chooseMachine([...found.values()], query);
}

function byIndex(informers: readonly Informer<KnownMachine>[], index: string, value: string): readonly Machine[] {
  return informers.flatMap((informer) => informer.byIndex(index, value).map(({ machine }) => machine));
}

function keepOfMachine(object: KubeObject): KnownMachine {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, machine: readMachine(object) };
}
