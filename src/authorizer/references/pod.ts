// Which objects a pod refers to, and by that opens to the node it is bound to. Pure; the lists are those of
// kubernetes/pkg/api/v1/pod/util.go and of the node authorizer's graph.

import type { RelatedObject, RelatedResource } from "../facts.ts";
import {
  type ContainerReferences,
  itemsOf,
  type PodWithReferences,
  textOf,
  type VolumeReferences,
} from "./pod-shape.ts";

/** On a pod that stands for one the kubelet read from its own disk. */
export const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

export function isMirrorPod({ metadata }: PodWithReferences): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, MIRROR_ANNOTATION);
}

/** The node a pod is bound to; empty while it is bound to none. */
export function nodeOfPod(pod: PodWithReferences): string {
  return textOf(pod.spec?.nodeName);
}

/**
 * Every reference lies in the pod's own namespace. A mirror pod refers to nothing, whatever stands in it: nodes create
 * them, and a node must not open an object to itself.
 */
export function referencesOfPod(pod: PodWithReferences): readonly RelatedObject[] {
  if (isMirrorPod(pod)) return [];
  const namespace = pod.metadata.namespace ?? "";
  const refer = (resource: RelatedResource, names: readonly string[]) =>
    names.map((name): RelatedObject => ({ resource, namespace, name }));
  return [
    ...refer("serviceaccounts", named(pod.spec?.serviceAccountName)),
    ...refer("secrets", secretsOfPod(pod)),
    ...refer("configmaps", configMapsOfPod(pod)),
    ...refer("persistentvolumeclaims", claimsOfPod(pod)),
    ...refer("resourceclaims", resourceClaimsOfPod(pod)),
  ];
}

export function secretsOfPod({ spec }: PodWithReferences): readonly string[] {
  return [
    ...itemsOf(spec?.imagePullSecrets).flatMap(({ name }) => named(name)),
    ...containersOf(spec).flatMap(({ envFrom, env }) => [
      ...itemsOf(envFrom).flatMap(({ secretRef }) => named(secretRef?.name)),
      ...itemsOf(env).flatMap(({ valueFrom }) => named(valueFrom?.secretKeyRef?.name)),
    ]),
    ...itemsOf(spec?.volumes).flatMap(secretsOfVolume),
  ];
}

export function configMapsOfPod({ spec }: PodWithReferences): readonly string[] {
  return [
    ...containersOf(spec).flatMap(({ envFrom, env }) => [
      ...itemsOf(envFrom).flatMap(({ configMapRef }) => named(configMapRef?.name)),
      ...itemsOf(env).flatMap(({ valueFrom }) => named(valueFrom?.configMapKeyRef?.name)),
    ]),
    ...itemsOf(spec?.volumes).flatMap(configMapsOfVolume),
  ];
}

/** The claim of a generic ephemeral volume is named after pod and volume. */
export function claimOfVolume(pod: PodWithReferences, volume: VolumeReferences): string {
  if (volume.persistentVolumeClaim !== undefined) return textOf(volume.persistentVolumeClaim?.claimName);
  return volume.ephemeral === undefined ? "" : `${pod.metadata.name ?? ""}-${textOf(volume.name)}`;
}

function claimsOfPod(pod: PodWithReferences): readonly string[] {
  return itemsOf(pod.spec?.volumes).flatMap((volume) => named(claimOfVolume(pod, volume)));
}

/** A claim made from a template is known by the status once it exists. */
function resourceClaimsOfPod({ spec, status }: PodWithReferences): readonly string[] {
  const made = itemsOf(status?.resourceClaimStatuses);
  const claims = itemsOf(spec?.resourceClaims).flatMap((claim) => {
    if (claim.resourceClaimName !== undefined) return named(claim.resourceClaimName);
    if (claim.resourceClaimTemplateName === undefined) return [];
    return named(made.find(({ name }) => name === claim.name)?.resourceClaimName);
  });
  return [...claims, ...named(status?.extendedResourceClaimStatus?.resourceClaimName)];
}

function containersOf(spec: PodWithReferences["spec"]): readonly ContainerReferences[] {
  return [spec?.initContainers, spec?.containers, spec?.ephemeralContainers].flatMap((list) => itemsOf(list));
}

/** The sources that can name a secret. A volume has one source; of several that were stored, the first here counts. */
const SECRETS_BY_SOURCE: Readonly<Record<string, (volume: VolumeReferences) => readonly (string | undefined)[]>> = {
  azureFile: ({ azureFile }) => [azureFile?.secretName],
  cephfs: ({ cephfs }) => [cephfs?.secretRef?.name],
  cinder: ({ cinder }) => [cinder?.secretRef?.name],
  flexVolume: ({ flexVolume }) => [flexVolume?.secretRef?.name],
  projected: ({ projected }) => itemsOf(projected?.sources).map(({ secret }) => secret?.name),
  rbd: ({ rbd }) => [rbd?.secretRef?.name],
  secret: ({ secret }) => [secret?.secretName],
  scaleIO: ({ scaleIO }) => [scaleIO?.secretRef?.name],
  iscsi: ({ iscsi }) => [iscsi?.secretRef?.name],
  storageos: ({ storageos }) => [storageos?.secretRef?.name],
  csi: ({ csi }) => [csi?.nodePublishSecretRef?.name],
};

function secretsOfVolume(volume: VolumeReferences): readonly string[] {
  const source = Object.keys(SECRETS_BY_SOURCE).find((key) => Object.hasOwn(volume, key));
  return source === undefined ? [] : (SECRETS_BY_SOURCE[source]?.(volume) ?? []).flatMap(named);
}

function configMapsOfVolume({ projected, configMap }: VolumeReferences): readonly string[] {
  if (projected === undefined) return named(configMap?.name);
  return itemsOf(projected?.sources).flatMap((source) => named(source.configMap?.name));
}

/** An empty name refers to nothing. */
function named(name: string | undefined): readonly string[] {
  const text = textOf(name);
  return text === "" ? [] : [text];
}
