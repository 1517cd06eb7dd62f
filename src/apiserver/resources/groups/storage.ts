// Storage classes, drivers and attachments.

import type { ApiGroup } from "../api-group.ts";
import { storageClassStrategy, volumeAttachmentStrategy } from "../kinds/volumes/attachment.ts";
import { csiDriverStrategy, csiNodeStrategy } from "../kinds/volumes/csi.ts";

export const STORAGE: ApiGroup = {
  apiVersion: "storage.k8s.io/v1",
  packageName: "storage",
  kinds: [csiDriverStrategy, csiNodeStrategy, storageClassStrategy, volumeAttachmentStrategy],
  messages: `
StorageClass = 1 metadata meta.ObjectMeta, 2 provisioner! string, 3 parameters {}string, 4 reclaimPolicy? string,
  5 mountOptions []string, 6 allowVolumeExpansion? bool, 7 volumeBindingMode? string,
  8 allowedTopologies []core.TopologySelectorTerm
VolumeAttachment = 1 metadata meta.ObjectMeta, 2 spec+ VolumeAttachmentSpec, 3 status VolumeAttachmentStatus
VolumeAttachmentSpec = 1 attacher! string, 2 source+ VolumeAttachmentSource, 3 nodeName! string
VolumeAttachmentSource = 1 persistentVolumeName? string, 2 inlineVolumeSpec? core.PersistentVolumeSpec
VolumeAttachmentStatus = 1 attached! bool, 2 attachmentMetadata {}string, 3 attachError? VolumeError,
  4 detachError? VolumeError
VolumeError = 1 time Time, 2 message string, 3 errorCode? int32
CSIDriver = 1 metadata meta.ObjectMeta, 2 spec+ CSIDriverSpec
CSIDriverSpec = 1 attachRequired? bool, 2 podInfoOnMount? bool, 3 volumeLifecycleModes []string set,
  4 storageCapacity? bool, 5 fsGroupPolicy? string, 6 tokenRequests []TokenRequest, 7 requiresRepublish? bool,
  8 seLinuxMount? bool, 9 nodeAllocatableUpdatePeriodSeconds? int64, 10 serviceAccountTokenInSecrets? bool,
  11 preventPodSchedulingIfMissing? bool
TokenRequest = 1 audience! string, 2 expirationSeconds? int64
CSINode = 1 metadata meta.ObjectMeta, 2 spec+ CSINodeSpec
CSINodeSpec = 1 drivers! []CSINodeDriver map name merge
CSINodeDriver = 1 name! string, 2 nodeID! string, 3 topologyKeys!~ []string, 4 allocatable? VolumeNodeResources
VolumeNodeResources = 1 count? int32
`,
};
