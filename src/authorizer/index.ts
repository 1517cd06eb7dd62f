export { createNodeAuthorizer } from "./authorize.ts";
export type { RelatedObject, RelatedResource, Relations } from "./facts.ts";
export { nodeOfUser } from "./identity.ts";
export { itemsOf, textOf } from "./references/loose.ts";
export {
  type ReferencesOfVolume,
  referencesOfVolume,
  type VolumeWithReferences,
} from "./references/persistent-volume.ts";
export {
  claimOfVolume,
  configMapsOfPod,
  isMirrorPod,
  MIRROR_ANNOTATION,
  nodeOfPod,
  referencesOfPod,
  secretsOfPod,
} from "./references/pod.ts";
export type { PodWithReferences, VolumeReferences } from "./references/pod-shape.ts";
export { NODE_ROLE } from "./rules/role.ts";
