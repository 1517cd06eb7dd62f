// The NodeIdentities of the management cluster: a copy that answers at once, and the live object where a decision must
// not rest on a copy. Kept in indexes: by endorsement key, by provider ID, by the hour of their making, by exchanges
// that are not over, and those that are revoked.

import {
  EK_LABEL,
  type Exchange,
  type IdentityOwner,
  identityNames,
  isIdentityOf,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../api/countersign/index.ts";
import { type EvidenceFacts, isInsecureAlone, isRetired, isRevoked } from "../../attestation/rules/index.ts";
import type { KeyHolder } from "../../attestation/tpm/verifier.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { findIdentity } from "../../platform/identities/index.ts";
import { createInformer, type Informer, type InformerOptions, type KubeClient } from "../../platform/kube/index.ts";
import type { ClusterName } from "../machines/index.ts";
import { createFollower, type Follower } from "../served/index.ts";

const BY_KEY = "by-endorsement-key";
const BY_HOUR = "by-hour";
const BY_EXCHANGE = "by-open-exchange";
const BY_STANDING = "by-standing";
const BY_PROVIDER_ID = "by-provider-id";
const HOUR_MS = 3_600_000;

export interface Identities {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Called with the name of the node whose identity changed. */
  onChange(handler: (nodeName: string) => void): void;
  run(signal: AbortSignal): Promise<void>;
  /** The copy is shown what a write of our own was answered. */
  observe(identity: NodeIdentity): void;
  /** Of this cluster's node of that name, from the copy. */
  find(nodeName: string): Seen<NodeIdentity>;
  /** Of this cluster: what becomes of another's is its own controller's business. */
  list(): readonly NodeIdentity[];
  /** Under this cluster's name, but pinned to Machines of another namespace: of another cluster, and left to it. */
  elsewhere(): readonly NodeIdentity[];
  /** Live identities other than that of the named node that bear this key, of whatever cluster; from the copy. */
  holdersOf(ekLabel: string, nodeName: string): Seen<readonly KeyHolder[]>;
  /**
   * Other nodes of this cluster than the named one with a live identity that was attested as this instance, from the
   * copy.
   */
  holdersOfProvider(providerId: string, nodeName: string): EvidenceFacts["machineHolders"];
  /** The exchange of this proof, while its certificate is not recorded as issued; from the copy. */
  openExchange(proofUid: string): Exchange | undefined;
  revoked(): readonly NodeIdentity[];
  /** SHA-256 of the endorsement keys of revoked identities. */
  revokedKeys(): readonly string[];
  /**
   * How many nodes of this cluster were attested for the first time within the last hour: another's joins are no limit
   * of ours.
   */
  countYoung(nowMs: number): number;
}

export function createIdentities(
  client: KubeClient,
  world: Pick<InformerOptions, "clock" | "random" | "log">,
  cluster?: ClusterName,
): Identities {
  const clusterName = cluster?.name;
  const isOwn = (identity: NodeIdentity) =>
    identity.spec.clusterName === clusterName && !isElsewhere(identity, cluster);
  const follower: Follower<NodeIdentity> = createFollower({
    ...world,
    client,
    candidates: [NODE_IDENTITIES],
    createInformer: (resource) => createInformer<NodeIdentity>(client, resource, { ...world, indexes: INDEXES }),
  });
  const ready = (): Informer<NodeIdentity> | undefined => (follower.hasSynced() ? follower.informer() : undefined);
  const revoked = () => ready()?.byIndex(BY_STANDING, "revoked") ?? [];
  return {
    hasSynced: follower.hasSynced,
    waitForSync: follower.waitForSync,
    onChange: (handler) => follower.onChange(({ object }) => handler(object.spec.nodeName)),
    run: follower.run,
    observe: (identity) => ready()?.observe(identity),
    find: (nodeName) => {
      const informer = ready();
      if (informer === undefined) return UNKNOWN;
      const owner = { nodeName, clusterName };
      const named = identityNames(owner).flatMap((name) => informer.get(name) ?? []);
      return seen(named.find((one) => isIdentityOf(one, owner)));
    },
    list: () => (ready()?.list() ?? []).filter(isOwn),
    elsewhere: () =>
      (ready()?.list() ?? []).filter((one) => one.spec.clusterName === clusterName && isElsewhere(one, cluster)),
    holdersOf: (ekLabel, nodeName) => {
      const informer = ready();
      if (informer === undefined) return UNKNOWN;
      const isOther = (one: NodeIdentity) => !isIdentityOf(one, { nodeName, clusterName });
      const others = informer.byIndex(BY_KEY, ekLabel).filter(isOther);
      return { kind: "Present", value: others.map((other) => holderOf(other, clusterName)) };
    },
    holdersOfProvider: (providerId, nodeName) => {
      const informer = ready();
      if (informer === undefined) return UNKNOWN;
      const isOther = (one: NodeIdentity) => one.spec.nodeName !== nodeName && isOwn(one);
      const others = informer.byIndex(BY_PROVIDER_ID, providerId).filter(isOther);
      return {
        kind: "Present",
        value: others.map((one) => ({ node: one.spec.nodeName, isProven: !isInsecureAlone(one) })),
      };
    },
    openExchange: (uid) =>
      (ready()?.byIndex(BY_EXCHANGE, uid) ?? [])
        .flatMap(({ status }) => status?.exchanges ?? [])
        .find(({ proofUid }) => proofUid === uid),
    revoked,
    revokedKeys: () => revoked().flatMap((identity) => keyOf(identity) ?? []),
    countYoung: (nowMs) => {
      const sinceMs = nowMs - HOUR_MS;
      const young = [sinceMs, nowMs].flatMap((ms) => ready()?.byIndex(BY_HOUR, hourOf(ms)) ?? []);
      const isCounted = (one: NodeIdentity) => createdMs(one) > sinceMs && isOwn(one);
      return new Set(young.filter(isCounted).map(({ metadata }) => metadata.uid)).size;
    },
  };
}

const UNKNOWN = { kind: "NotRead", why: "the NodeIdentities are not known yet, or their kind is not served" } as const;

const INDEXES = {
  [BY_KEY]: (identity: NodeIdentity) => (isLive(identity) ? [identity.metadata.labels?.[EK_LABEL] ?? ""] : []),
  // An enrolment claims its provider ID, as it claims its TPM.
  [BY_PROVIDER_ID]: (identity: NodeIdentity) =>
    isLive(identity) ? [identity.status?.providerId ?? identity.spec.providerId ?? ""] : [],
  [BY_HOUR]: (identity: NodeIdentity) =>
    identity.status?.attestedAt === undefined ? [] : [hourOf(createdMs(identity))],
  [BY_EXCHANGE]: ({ status }: NodeIdentity) =>
    (status?.exchanges ?? []).flatMap(({ proofUid, state }) => (state === "Issued" ? [] : [proofUid])),
  [BY_STANDING]: (identity: NodeIdentity) => (isRevoked(identity) ? ["revoked"] : []),
};

/** A retired identity lets its key go, by an operator's word at once; one that is revoked never does. */
export function isLive(identity: NodeIdentity): boolean {
  return isRevoked(identity) || !isRetired(identity);
}

/** Cluster API has its names by namespace; one that was pinned to no Machine yet belongs to the cluster that asks. */
function isElsewhere({ status }: NodeIdentity, cluster: ClusterName | undefined): boolean {
  const [own, pinned] = [cluster?.namespace, status?.machine?.namespace];
  return own !== undefined && pinned !== undefined && pinned !== own;
}

/** As it may be told to who asks in this cluster. */
export function holderOf({ metadata, spec }: NodeIdentity, clusterName: string | undefined): KeyHolder {
  return { identity: metadata.name ?? "", nodeName: spec.clusterName === clusterName ? spec.nodeName : undefined };
}

function keyOf({ spec, status }: NodeIdentity): string | undefined {
  return status?.tpm?.ek.spkiSha256 ?? spec.tpm?.ek.spkiSha256;
}

function createdMs({ metadata }: NodeIdentity): number {
  return Date.parse(metadata.creationTimestamp ?? "");
}

function hourOf(ms: number): string {
  return String(Math.floor(ms / HOUR_MS));
}

function seen<T>(value: T | undefined): Seen<T> {
  return value === undefined ? { kind: "Absent" } : { kind: "Present", value };
}

/** The identity as it is on the server now. */
export async function getIdentity(
  management: KubeClient,
  owner: IdentityOwner,
  signal?: AbortSignal,
): Promise<Seen<NodeIdentity>> {
  return seen(await findIdentity(management, owner, signal));
}
