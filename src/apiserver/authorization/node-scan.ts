// Is an object related to a node? Found by looking through what is stored, so the answer is never older than the last
// write. Fit for a few thousand pods a namespace; a graph kept beside storage answers the same question faster.

import {
  type KubeObject,
  PERSISTENT_VOLUMES,
  PODS,
  RESOURCE_SLICES,
  type Resource,
  VOLUME_ATTACHMENTS,
} from "../../api/meta/index.ts";
import {
  nodeOfPod,
  type PodWithReferences,
  type RelatedObject,
  type RelatedResource,
  type Relations,
  referencesOfPod,
  referencesOfVolume,
  type VolumeWithReferences,
} from "../../authorizer/index.ts";
import { keyOf, prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";

type Stored = Pick<Storage, "get" | "list">;
type Search = (storage: Stored, object: RelatedObject, node: string) => boolean;

export function createNodeScan(storage: Stored): Relations {
  return { hasPath: (object, node) => SEARCHES[object.resource](storage, object, node) };
}

const SEARCHES: Readonly<Record<RelatedResource, Search>> = {
  pods: isPodOf,
  configmaps: hasPodThatRefers,
  persistentvolumeclaims: hasPodThatRefers,
  resourceclaims: hasPodThatRefers,
  serviceaccounts: hasPodThatRefers,
  secrets: (storage, secret, node) =>
    hasPodThatRefers(storage, secret, node) || hasVolumeThatRefers(storage, secret, node),
  persistentvolumes: isVolumeOfPod,
  resourceslices: (storage, slice, node) => namesNode(find(storage, RESOURCE_SLICES, slice), node),
  volumeattachments: (storage, attachment, node) => namesNode(find(storage, VOLUME_ATTACHMENTS, attachment), node),
};

function isPodOf(storage: Stored, object: RelatedObject, node: string): boolean {
  const pod = find(storage, PODS, object);
  return pod !== undefined && nodeOfPod(pod) === node;
}

function hasPodThatRefers(storage: Stored, object: RelatedObject, node: string): boolean {
  if (!isSegment(object.namespace)) return false;
  const { items } = storage.list({ prefix: prefixOf(PODS, object.namespace) });
  return items.some(({ object: pod }) => nodeOfPod(pod) === node && includes(referencesOfPod(pod), object));
}

/** The secrets a volume is mounted with belong to whoever has the volume's claim. */
function hasVolumeThatRefers(storage: Stored, secret: RelatedObject, node: string): boolean {
  const { items } = storage.list({ prefix: prefixOf(PERSISTENT_VOLUMES) });
  return items.some(({ object: volume }) => {
    const found = referencesOfVolume(volume as VolumeWithReferences);
    return found !== undefined && includes(found.secrets, secret) && hasPodThatRefers(storage, found.claim, node);
  });
}

function isVolumeOfPod(storage: Stored, object: RelatedObject, node: string): boolean {
  const volume = find(storage, PERSISTENT_VOLUMES, object);
  const claim = volume === undefined ? undefined : referencesOfVolume(volume as VolumeWithReferences)?.claim;
  return claim !== undefined && hasPodThatRefers(storage, claim, node);
}

function namesNode(object: KubeObject | undefined, node: string): boolean {
  return (object as PodWithReferences | undefined)?.spec?.nodeName === node;
}

function includes(references: readonly RelatedObject[], wanted: RelatedObject): boolean {
  return references.some(
    ({ resource, namespace, name }) =>
      resource === wanted.resource && namespace === wanted.namespace && name === wanted.name,
  );
}

/** Names come from anybody who may ask about rights, and need not be names of anything. */
function find(storage: Stored, resource: Resource, { namespace, name }: RelatedObject): KubeObject | undefined {
  const isPlace = (namespace !== "") === resource.namespaced && isSegment(namespace) && isSegment(name);
  return isPlace ? storage.get(keyOf(resource, { namespace, name }))?.object : undefined;
}

function isSegment(text: string): boolean {
  return !text.includes("/");
}
