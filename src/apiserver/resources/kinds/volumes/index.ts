export { storageClassStrategy, volumeAttachmentStrategy } from "./attachment.ts";
export { csiDriverStrategy, csiNodeStrategy } from "./csi.ts";
export { persistentVolumeStrategy } from "./persistent-volume.ts";
export { persistentVolumeClaimStrategy } from "./persistent-volume-claim.ts";
