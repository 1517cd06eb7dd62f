// The MachinePools of the cluster: which instances are members, by provider ID. For attestation, which holds a member to its pool where
// there is no Machine to hold it to.

import { MACHINE_POOL_RESOURCES, type Machine, type MachinePool, readMachinePool } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { createInformer, type InformerOptions, type KubeClient } from "../../platform/kube/index.ts";
import { type MachineQuery, providerKey } from "../approval/index.ts";
import { createFollower, type Follower } from "../served/index.ts";
import { type ClusterName, isOfCluster } from "./cluster-name.ts";
import { isInScope } from "./match.ts";

type Scope = Pick<MachineQuery, "clusterName" | "namespace">;

export interface MachinePools {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Called with the keys under which requests may wait for members that came or went. */
  onChange(handler: (keys: readonly string[]) => void): void;
  /** Pools that have this instance; absent where the scope has no pool at all. */
  byProviderId(providerId: string, scope: Scope): Seen<readonly Machine[]>;
  /** Whether the instance is still a member of this pool. */
  has(poolUid: string, providerId: string): boolean;
  /** Members that are no Node yet. */
  countAwaiting(): number;
  run(signal: AbortSignal): Promise<void>;
}

interface KnownPool extends KubeObject {
  readonly pool: MachinePool;
}

const BY_PROVIDER_ID = "by-provider-id";

export function createMachinePools(
  client: KubeClient,
  world: Pick<InformerOptions, "clock" | "random" | "log">,
  cluster?: ClusterName,
): MachinePools {
  const indexes = {
    [BY_PROVIDER_ID]: ({ pool }: KnownPool) => (isOfCluster(pool.machine, cluster) ? pool.providerIds : []),
  };
  const follower: Follower<KnownPool> = createFollower({
    ...world,
    client,
    candidates: MACHINE_POOL_RESOURCES,
    createInformer: (resource) =>
      createInformer<KnownPool>(client, resource, { ...world, keep, indexes, namespace: cluster?.namespace }),
  });
  const pools = () => (follower.informer()?.list() ?? []).filter(({ pool }) => isOfCluster(pool.machine, cluster));
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
      const isOurs = (machine: Machine) => isInScope(machine, { ...ANY_QUERY, ...scope });
      if (!pools().some(({ pool }) => isOurs(pool.machine))) return { kind: "Absent" };
      return { kind: "Present", value: membersOf(providerId).filter(isOurs) };
    },
    has: (poolUid, providerId) => membersOf(providerId).some(({ uid }) => uid === poolUid),
    countAwaiting: () => pools().reduce((sum, { pool }) => sum + Math.max(0, pool.providerIds.length - pool.nodes), 0),
  };
}

const ANY_QUERY = { nodeName: "", providerId: undefined, nameFrom: [] } as const;
const UNSYNCED = { kind: "NotRead", why: "the list of MachinePools is not complete yet" } as const;

function keep(object: KubeObject): KnownPool {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, pool: readMachinePool(object) };
}

/** What attestation asks of Machines, answered by both: an instance has a Machine, or it is a member of a pool. */
export interface ExpectedMachines extends Pick<MachinePools, "byProviderId" | "countAwaiting" | "hasSynced"> {
  /** Whether the Machine is there, or the instance still a member of that pool. */
  has(uid: string, providerId: string | undefined): boolean;
}

type OwnMachines = Pick<MachinePools, "byProviderId" | "countAwaiting" | "hasSynced"> & { has(uid: string): boolean };

export function expectMachines(machines: OwnMachines, pools: MachinePools): ExpectedMachines {
  return {
    hasSynced: () => machines.hasSynced() && pools.hasSynced(),
    has: (uid, providerId) => machines.has(uid) || (providerId !== undefined && pools.has(uid, providerId)),
    countAwaiting: () => machines.countAwaiting() + pools.countAwaiting(),
    byProviderId: (providerId, scope) => {
      const [own, pooled] = [machines.byProviderId(providerId, scope), pools.byProviderId(providerId, scope)];
      if (own.kind === "NotRead") return own;
      // A pool may keep Machines of its own for its members: then these are what counts.
      if (own.kind === "Present" && own.value.length > 0) return own;
      return pooled.kind === "Absent" ? own : pooled;
    },
  };
}
