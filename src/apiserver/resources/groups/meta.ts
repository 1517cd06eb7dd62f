// What every kind has in common: metadata, options, Status, selectors, bare metadata.

import type { ApiGroup } from "../api-group.ts";

export const META: ApiGroup = {
  apiVersion: "meta.k8s.io/v1",
  packageName: "meta",
  messages: `
ObjectMeta = 1 name string, 2 generateName string, 3 namespace string, 4 selfLink string, 5 uid string,
  6 resourceVersion string, 7 generation int64, 8 creationTimestamp Time, 9 deletionTimestamp? Time,
  10 deletionGracePeriodSeconds? int64, 11 labels {}string, 12 annotations {}string,
  13 ownerReferences []OwnerReference map uid merge, 14 finalizers []string set merge,
  17 managedFields []ManagedFieldsEntry
OwnerReference atomic = 1 kind! string, 3 name! string, 4 uid! string, 5 apiVersion! string, 6 controller? bool,
  7 blockOwnerDeletion? bool
ManagedFieldsEntry = 1 manager string, 2 operation string, 3 apiVersion string, 4 time? Time, 6 fieldsType string,
  7 fieldsV1? FieldsV1, 8 subresource string
LabelSelector atomic = 1 matchLabels {}string, 2 matchExpressions []LabelSelectorRequirement
LabelSelectorRequirement = 1 key! string, 2 operator! string, 3 values []string
Condition = 1 type! string, 2 status! string, 3 observedGeneration int64, 4 lastTransitionTime+ Time, 5 reason! string,
  6 message! string
FieldSelectorRequirement = 1 key! string, 2 operator! string, 3 values []string
DeleteOptions = 1 gracePeriodSeconds? int64, 2 preconditions? Preconditions, 3 orphanDependents? bool,
  4 propagationPolicy? string, 5 dryRun []string, 6 ignoreStoreReadErrorWithClusterBreakingPotential? bool
Preconditions = 1 uid? string, 2 resourceVersion? string
ListMeta = 1 selfLink string, 2 resourceVersion string, 3 continue string, 4 remainingItemCount? int64,
  5 shardInfo? ShardInfo
ShardInfo = 1 selector! string
Status = 1 metadata ListMeta, 2 status string, 3 message string, 4 reason string, 5 details? StatusDetails, 6 code int32
StatusDetails = 1 name string, 2 group string, 3 kind string, 4 causes []StatusCause, 5 retryAfterSeconds int32,
  6 uid string
StatusCause = 1 reason string, 2 message string, 3 field string
PartialObjectMetadata = 1 metadata ObjectMeta
`,
};

/** The same, before its list got the order of all other lists. */
export const META_V1BETA1: ApiGroup = {
  apiVersion: "meta.k8s.io/v1beta1",
  packageName: "meta.v1beta1",
  messages: `
PartialObjectMetadata = 1 metadata meta.ObjectMeta
PartialObjectMetadataList = 1 items+ []PartialObjectMetadata, 2 metadata meta.ListMeta
`,
};
