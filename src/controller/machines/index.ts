// The Machines of the cluster: Cluster API's in the version that is served, and OpenShift's, read by paths
// (api/foreign) and kept small. Which one is a node's is answered from indexes, so a hundred thousand Machines cost no
// more than ten.

import type { Machine } from "../../api/foreign/index.ts";
import { MACHINE_RESOURCES, readMachine } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { createInformer, type Informer, type InformerOptions, type KubeClient } from "../../platform/kube/index.ts";
import type { MachineMatch } from "../judging/facts.ts";
import type { MachineInventory, MachineQuery } from "../judging/look.ts";
import { createFollower, type Follower } from "../served/index.ts";
import type { ClusterName } from "./cluster-name.ts";
import { getIfThere } from "./get-if-there.ts";
import {
  ADDRESS_INDEX,
  ALL_INDEX,
  indexesOfMachines,
  type KnownMachine,
  NAME_INDEX,
  pendingKeysOf,
  UID_INDEX,
  WAITING_INDEX,
} from "./known-machine.ts";
import {
  byIndex,
  chooseMachine,
  isInScope,
  lookUpKeys,
  machinesByProviderId,
  ownersAmong,
  placesOf,
  type Scope,
  unsaidCluster,
} from "./match.ts";

export { type ClusterName, isOfCluster, parseClusterName, requireOneNamespace } from "./cluster-name.ts";
export { machinesOf } from "./match.ts";
export { createMachinePools, type ExpectedMachines, expectMachines, type MachinePools } from "./pools.ts";

export interface Machines extends MachineInventory {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Called with the keys under which requests may wait for the Machine that changed. */
  onChange(handler: (keys: readonly string[]) => void): void;
  /** Those with exactly this provider ID; absent where the scope has no Machine at all. For attestation. */
  byProviderId(providerId: string, scope: Scope): Seen<readonly Machine[]>;
  /** The same Machine as it is on the server now; undefined where it is gone, or has this provider ID no longer. */
  getLive(machine: Machine, signal: AbortSignal): Promise<Machine | undefined>;
  /** By uid: whether the Machine is still there. */
  has(uid: string): boolean;
  /** `namespace/cluster` of each Machine that counts, once. */
  places(): readonly string[];
  /** Those that have no Node yet. */
  countAwaiting(): number;
  run(signal: AbortSignal): Promise<void>;
}

type MachineWorld = Pick<InformerOptions, "clock" | "random" | "log"> & { readonly lookAgainMs?: number };

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
    byProviderId: (providerId, scope) =>
      hasSynced() ? machinesByProviderId(informers(), providerId, scope) : UNSYNCED,
    getLive: (machine, signal) => getLive(client, { machine, informers: informers() }, signal),
    has: (uid) => informers().some((informer) => informer.countByIndex(UID_INDEX, uid) > 0),
    places: () => placesOf(informers()),
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

const UNSYNCED = { kind: "NotRead", why: "the list of Machines is not complete yet" } as const;

function find(informers: readonly Informer<KnownMachine>[], query: MachineQuery): Seen<MachineMatch> {
  const unsaid = unsaidCluster(placesOf(informers), query);
  if (unsaid !== undefined) return { kind: "Present", value: unsaid };
  const found = new Map<string, Machine>();
  for (const key of lookUpKeys(query)) {
    for (const machine of byIndex(informers, NAME_INDEX, key)) {
      if (isInScope(machine, query)) found.set(machine.uid, machine);
    }
  }
  return chooseMachine([...found.values()], query);
}

interface Copied {
  readonly machine: Machine;
  readonly informers: readonly Informer<KnownMachine>[];
}

/** In the version in which the copy is followed. */
async function getLive(
  client: Pick<KubeClient, "get">,
  { machine, informers }: Copied,
  signal: AbortSignal,
): Promise<Machine | undefined> {
  const { name, namespace, uid, providerId } = machine;
  const kept = informers
    .flatMap((informer) => informer.get(name, namespace) ?? [])
    .find(({ metadata }) => metadata.uid === uid);
  const resource = MACHINE_RESOURCES.find(({ group, version }) => `${group}/${version}` === kept?.apiVersion);
  if (resource === undefined) return undefined;
  const live = await getIfThere(client, resource, { name, namespace, signal });
  const read = live === undefined ? undefined : readMachine(live);
  return read?.uid === uid && read.providerId === providerId ? read : undefined;
}

function keepOfMachine(object: KubeObject): KnownMachine {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, machine: readMachine(object) };
}
