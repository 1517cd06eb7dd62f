// What the collector does about one object. Pure. In this order, as kubernetes/pkg/controller/garbagecollector:
//  deleted, finalizer `orphan`              -> its dependents lose the reference, then the finalizer is removed
//  deleted, finalizer `foregroundDeletion`  -> its dependents are deleted; when none blocks, the finalizer is removed
//  an owner exists                          -> references to owners that are deleted, or wait for it, are removed
//  no owner exists, and a dependent is waiting for its own dependents: they own each other
//                                           -> the object no longer blocks its owners, then it is deleted
//  no owner exists                          -> the object is deleted
// An owner of a kind that is not served counts as existing.

import type { KubeObject, OwnerReference } from "../../../api/meta/index.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

export type OwnerState = "alive" | "gone" | "waiting";

export interface GarbageFacts {
  readonly object: KubeObject;
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  /** The stored objects that name this one as an owner. */
  readonly dependents: readonly { readonly key: string; readonly object: KubeObject }[];
}

export type GarbagePlan =
  | { readonly kind: "nothing" }
  | { readonly kind: "orphan" }
  | { readonly kind: "delete-dependents"; readonly keys: readonly string[]; readonly isDone: boolean }
  | { readonly kind: "forget-owners"; readonly uids: readonly string[] }
  | { readonly kind: "unblock-owners" }
  | { readonly kind: "delete"; readonly policy: "Background" | "Foreground" | "Orphan" };

const NOTHING: GarbagePlan = { kind: "nothing" };

export function planGarbage(facts: GarbageFacts): GarbagePlan {
  const { metadata } = facts.object;
  const { finalizers = [] } = metadata;
  if (metadata.deletionTimestamp !== undefined) {
    if (finalizers.includes(ORPHAN)) return { kind: "orphan" };
    return finalizers.includes(FOREGROUND) ? foreground(facts) : NOTHING;
  }
  if (facts.owners.length === 0) return NOTHING;
  const lost = facts.owners.filter(({ state }) => state !== "alive");
  if (lost.length === 0) return NOTHING;
  if (lost.length < facts.owners.length) {
    return { kind: "forget-owners", uids: lost.map(({ reference }) => reference.uid) };
  }
  const isWaitedFor = lost.some(({ state }) => state === "waiting") && facts.dependents.length > 0;
  if (isWaitedFor && isInCycle(facts)) return { kind: "unblock-owners" };
  return { kind: "delete", policy: isWaitedFor ? "Foreground" : policyOf(finalizers) };
}

/**
 * The objects of a cycle would wait for each other for ever. One object that no longer blocks its owners is enough to
 * end that; whether the waiting dependent really is in a cycle with it does not matter, because it is deleted in any
 * case.
 */
function isInCycle({ owners, dependents }: GarbageFacts): boolean {
  const isBlocking = owners.some(({ reference }) => reference.blockOwnerDeletion === true);
  return isBlocking && dependents.some(({ object }) => isWaiting(object));
}

/** Deleted in the foreground: after its dependents. */
export function isWaiting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND) === true;
}

/** The finalizers of an object say how its own dependents are deleted. */
function policyOf(finalizers: readonly string[]): "Background" | "Foreground" | "Orphan" {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}

function foreground({ object, dependents }: GarbageFacts): GarbagePlan {
  const blocks = (dependent: KubeObject) =>
    (dependent.metadata.ownerReferences ?? []).some(
      ({ uid, blockOwnerDeletion }) => uid === object.metadata.uid && blockOwnerDeletion === true,
    );
  const isDone = !dependents.some((one) => blocks(one.object));
  const keys = dependents.filter((one) => one.object.metadata.deletionTimestamp === undefined).map(({ key }) => key);
  return { kind: "delete-dependents", keys, isDone };
}
