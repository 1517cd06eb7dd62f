// The MachinePools of the cluster: which instances are members, by provider ID. For attestation, which holds a member
// to its pool where there is no Machine to hold it to.

import { MACHINE_POOL_RESOURCES, type Machine, type MachinePool, readMachinePool } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { createInformer, type Informer, type InformerOptions, type KubeClient } from "../../platform/kube/index.ts";
import { providerKey } from "../judging/pending.ts";
import { createFollower, type Follower } from "../served/index.ts";
import { type ClusterName, isOfCluster } from "./cluster-name.ts";
import { getIfThere } from "./get-if-there.ts";
import { placeOf } from "./known-machine.ts";
import { hasPlaceIn, isInScope, namespacesIn, type Scope, unsaidCluster } from "./match.ts";

export interface MachinePools {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Called with the keys under which requests may wait for members that came or went. */
  onChange(handler: (keys: readonly string[]) => void): void;
  /** Pools that have this instance; absent where the scope has no pool at all. */
  byProviderId(providerId: string, scope: Scope): Seen<readonly Machine[]>;
  /** The same member as its pool is on the server now; undefined where the pool is gone, or has it no longer. */
  getLive(member: Machine, signal: AbortSignal): Promise<Machine | undefined>;
  /** Whether the instance is still a member of this pool. */
  has(poolUid: string, providerId: string): boolean;
  /** `namespace/cluster` of each pool that counts, once. */
  places(): readonly string[];
  /** Members that are no Node yet. */
  countAwaiting(): number;
  countAll(): number;
  run(signal: AbortSignal): Promise<void>;
}

interface KnownPool extends KubeObject {
  readonly pool: MachinePool;
}

const BY_PROVIDER_ID = "by-provider-id";
const BY_PLACE = "by-place";

export function createMachinePools(
  client: KubeClient,
  world: Pick<InformerOptions, "clock" | "random" | "log">,
  cluster?: ClusterName,
): MachinePools {
  const indexes = {
    [BY_PROVIDER_ID]: ({ pool }: KnownPool) => (isOfCluster(pool.machine, cluster) ? pool.providerIds : []),
    [BY_PLACE]: ({ pool }: KnownPool) => (isOfCluster(pool.machine, cluster) ? [placeOf(pool.machine)] : []),
  };
  const follower: Follower<KnownPool> = createFollower({
    ...world,
    client,
    candidates: MACHINE_POOL_RESOURCES,
    createInformer: (resource) =>
      createInformer<KnownPool>(client, resource, { ...world, keep, indexes, namespace: cluster?.namespace }),
  });
  const places = () => Array.from(follower.informer()?.indexValues(BY_PLACE) ?? [], ([place]) => place);
  const pools = () => places().flatMap((place) => follower.informer()?.byIndex(BY_PLACE, place) ?? []);
  const membersOf = (providerId: string) =>
    (follower.informer()?.byIndex(BY_PROVIDER_ID, providerId) ?? []).map(({ pool }) => ({
      ...pool.machine,
      providerId,
    }));
  return {
    hasSynced: follower.hasSynced,
    waitForSync: follower.waitForSync,
    run: follower.run,
    onChange: (handler) => {
      follower.onChange(({ object, previous }) => {
        const ids = [object, previous].flatMap((known) => known?.pool.providerIds ?? []);
        handler([...new Set(ids)].map(providerKey));
      });
    },
    byProviderId: (providerId, scope) => {
      if (!follower.hasSynced()) return UNSYNCED;
      if (!hasPlaceIn(places(), scope)) return { kind: "Absent" };
      return { kind: "Present", value: membersOf(providerId).filter((member) => isInScope(member, scope)) };
    },
    getLive: (member, signal) => getLive(client, { member, kept: follower.informer() }, signal),
    has: (poolUid, providerId) => membersOf(providerId).some(({ uid }) => uid === poolUid),
    places,
    countAwaiting: () => pools().reduce((sum, { pool }) => sum + Math.max(0, pool.providerIds.length - pool.nodes), 0),
    countAll: () => pools().reduce((sum, { pool }) => sum + pool.providerIds.length, 0),
  };
}

const UNSYNCED = { kind: "NotRead", why: "the list of MachinePools is not complete yet" } as const;

interface Copied {
  readonly member: Machine;
  readonly kept: Pick<Informer<KnownPool>, "get"> | undefined;
}

/** In the version in which the copy is followed. */
async function getLive(
  client: Pick<KubeClient, "get">,
  { member, kept }: Copied,
  signal: AbortSignal,
): Promise<Machine | undefined> {
  const { name, namespace, uid, providerId = "" } = member;
  const { apiVersion } = kept?.get(name, namespace) ?? {};
  const resource = MACHINE_POOL_RESOURCES.find(({ group, version }) => `${group}/${version}` === apiVersion);
  if (resource === undefined) return undefined;
  const live = await getIfThere(client, resource, { name, namespace, signal });
  const pool = live === undefined ? undefined : readMachinePool(live);
  const isMember = pool?.machine.uid === uid && pool.providerIds.includes(providerId);
  return isMember ? { ...pool.machine, providerId } : undefined;
}

function keep(object: KubeObject): KnownPool {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, pool: readMachinePool(object) };
}

/** As approval waits: a provider ID of another cluster's Machine must not open this one. */
function askWhich(clusters: readonly string[]): string {
  return `there are Machines of the clusters ${clusters.join(", ")}; say with --cluster-name, or in spec.machines of the policy, which is this one`;
}

/** What attestation asks of Machines, answered by both: an instance has a Machine, or it is a member of a pool. */
export interface ExpectedMachines
  extends Pick<MachinePools, "byProviderId" | "getLive" | "countAwaiting" | "countAll" | "hasSynced"> {
  /** Whether the Machine is there, or the instance still a member of that pool. */
  has(uid: string, providerId: string | undefined): boolean;
  /** Those in which this cluster has Machines or pools. */
  namespaces(): readonly string[];
}

type OwnMachines = Omit<ExpectedMachines, "has" | "namespaces" | "countAll"> &
  Pick<MachinePools, "places"> & { has(uid: string): boolean; count(): number };

export function expectMachines(machines: OwnMachines, pools: MachinePools): ExpectedMachines {
  return {
    hasSynced: () => machines.hasSynced() && pools.hasSynced(),
    has: (uid, providerId) => machines.has(uid) || (providerId !== undefined && pools.has(uid, providerId)),
    getLive: (machine, signal) => (machine.isPoolMember === true ? pools : machines).getLive(machine, signal),
    namespaces: () => namespacesIn([...machines.places(), ...pools.places()]),
    countAwaiting: () => machines.countAwaiting() + pools.countAwaiting(),
    countAll: () => machines.count() + pools.countAll(),
    byProviderId: (providerId, scope) => {
      const [own, pooled] = [machines.byProviderId(providerId, scope), pools.byProviderId(providerId, scope)];
      if (own.kind === "NotRead") return own;
      const unsaid = unsaidCluster([...machines.places(), ...pools.places()], scope);
      if (unsaid !== undefined) return { kind: "NotRead", why: askWhich(unsaid.clusters) };
      // A pool may keep Machines of its own for its members: then these are what counts.
      if (own.kind === "Present" && own.value.length > 0) return own;
      return pooled.kind === "Absent" ? own : pooled;
    },
  };
}
