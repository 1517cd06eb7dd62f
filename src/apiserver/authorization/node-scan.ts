// Is an object related to a node? Found by scanning what is stored, so the answer is never older than the last write.
// The references of a pod or volume are read once and remembered with exactly that content, so they are forgotten when
// the object changes. Fit for some thousand pods in a namespace; a graph kept beside storage answers the same question
// faster.

import { PERSISTENT_VOLUMES, PODS, RESOURCE_SLICES, type Resource, VOLUME_ATTACHMENTS } from "../../api/meta/index.ts";
import {
  nodeOfPod,
  type PodWithReferences,
  type ReferencesOfVolume,
  type RelatedObject,
  type RelatedResource,
  type Relations,
  referencesOfPod,
  referencesOfVolume,
  type VolumeWithReferences,
} from "../../authorizer/index.ts";
import { keyOf, prefixOf } from "../storage/key.ts";
import type { Storage, Stored } from "../storage/storage.ts";

interface Known {
  readonly storage: Pick<Storage, "get" | "list">;
  podOf(stored: Stored): PodRelations;
  volumeOf(stored: Stored): ReferencesOfVolume | undefined;
}

interface PodRelations {
  readonly node: string;
  readonly references: readonly RelatedObject[];
}

type Search = (known: Known, object: RelatedObject, node: string) => boolean;

export function createNodeScan(storage: Known["storage"]): Relations {
  const known: Known = {
    storage,
    podOf: remembered(({ object }) => relationsOfPod(object)),
    volumeOf: remembered(({ object }) => referencesOfVolume(object as VolumeWithReferences)),
  };
  return { hasPath: (object, node) => SEARCHES[object.resource](known, object, node) };
}

/** Storage hands out the same value as long as the content is the same, so a WeakMap forgets with the content. */
function remembered<T>(read: (stored: Stored) => T): (stored: Stored) => T {
  const found = new WeakMap<Stored, { readonly value: T }>();
  return (stored) => {
    const before = found.get(stored);
    if (before !== undefined) return before.value;
    const value = read(stored);
    found.set(stored, { value });
    return value;
  };
}

/** A pod without a node gives no node access yet. */
function relationsOfPod(pod: PodWithReferences): PodRelations {
  const node = nodeOfPod(pod);
  return { node, references: node === "" ? [] : referencesOfPod(pod) };
}

const SEARCHES: Readonly<Record<RelatedResource, Search>> = {
  pods: isPodOf,
  configmaps: hasPodThatRefers,
  persistentvolumeclaims: hasPodThatRefers,
  resourceclaims: hasPodThatRefers,
  serviceaccounts: hasPodThatRefers,
  secrets: (known, secret, node) => hasPodThatRefers(known, secret, node) || hasVolumeThatRefers(known, secret, node),
  persistentvolumes: isVolumeOfPod,
  resourceslices: (known, slice, node) => namesNode(find(known, RESOURCE_SLICES, slice), node),
  volumeattachments: (known, attachment, node) => namesNode(find(known, VOLUME_ATTACHMENTS, attachment), node),
};

function isPodOf(known: Known, object: RelatedObject, node: string): boolean {
  const pod = find(known, PODS, object);
  return pod !== undefined && known.podOf(pod).node === node;
}

function hasPodThatRefers({ storage, podOf }: Known, object: RelatedObject, node: string): boolean {
  if (!isSegment(object.namespace)) return false;
  const { items } = storage.list({ prefix: prefixOf(PODS, object.namespace) });
  return items.some((stored) => {
    const pod = podOf(stored);
    return pod.node === node && includes(pod.references, object);
  });
}

/** The secrets that a volume is mounted with are related to the nodes of the pods with the volume's claim. */
function hasVolumeThatRefers(known: Known, secret: RelatedObject, node: string): boolean {
  const { items } = known.storage.list({ prefix: prefixOf(PERSISTENT_VOLUMES) });
  return items.some((stored) => {
    const found = known.volumeOf(stored);
    return found !== undefined && includes(found.secrets, secret) && hasPodThatRefers(known, found.claim, node);
  });
}

function isVolumeOfPod(known: Known, object: RelatedObject, node: string): boolean {
  const volume = find(known, PERSISTENT_VOLUMES, object);
  const claim = volume === undefined ? undefined : known.volumeOf(volume)?.claim;
  return claim !== undefined && hasPodThatRefers(known, claim, node);
}

function namesNode(stored: Stored | undefined, node: string): boolean {
  return (stored?.object as PodWithReferences | undefined)?.spec?.nodeName === node;
}

function includes(references: readonly RelatedObject[], wanted: RelatedObject): boolean {
  return references.some(
    ({ resource, namespace, name }) =>
      resource === wanted.resource && namespace === wanted.namespace && name === wanted.name,
  );
}

/** Names come from access reviews of any user and need not be valid names. */
function find({ storage }: Known, resource: Resource, { namespace, name }: RelatedObject): Stored | undefined {
  const isPlace = (namespace !== "") === resource.namespaced && isSegment(namespace) && isSegment(name);
  return isPlace ? storage.get(keyOf(resource, { namespace, name })) : undefined;
}

function isSegment(text: string): boolean {
  return !text.includes("/");
}
