export { createNodeAuthorizer } from "./authorize.ts";
export { nodeOfUser, type RelatedObject, type RelatedResource, type Relations } from "./facts.ts";
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
export { itemsOf, type PodWithReferences, textOf, type VolumeReferences } from "./references/pod-shape.ts";
export { NODE_ROLE } from "./rules/rule.ts";
