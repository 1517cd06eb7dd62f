// Which fields a document calls required: those that Go always writes, with the exceptions below. Facts of the markers
// `+required` and `+optional` in the Kubernetes API types.

import type { Field, StructSchema } from "../../schema/index.ts";

/** Required although nothing about the field says so: mostly structs that must be given. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  "authentication.TokenReview": ["spec"],
  "authentication.TokenReviewSpec": ["token"],
  "authorization.LocalSubjectAccessReview": ["spec"],
  "authorization.NonResourceRule": ["verbs"],
  "authorization.ResourceRule": ["verbs"],
  "authorization.SelfSubjectAccessReview": ["spec"],
  "authorization.SelfSubjectRulesReview": ["spec"],
  "authorization.SubjectAccessReview": ["spec"],
  "authorization.SubjectRulesReviewStatus": ["resourceRules", "nonResourceRules"],
  "certificates.CertificateSigningRequest": ["spec"],
  "core.Binding": ["target"],
  "core.CephFSPersistentVolumeSource": ["monitors"],
  "core.CephFSVolumeSource": ["monitors"],
  "core.ContainerRestartRule": ["action"],
  "core.ContainerRestartRuleOnExitCodes": ["operator"],
  "core.Event": ["involvedObject", "metadata"],
  "core.HTTPGetAction": ["port"],
  "core.ImageVolumeStatus": ["imageRef"],
  "core.NodeAllocatableResourceClaimStatus": ["resources"],
  "core.PersistentVolumeClaimTemplate": ["spec"],
  "core.PodCertificateProjection": ["keyType", "signerName"],
  "core.PodExtendedResourceClaimStatus": ["requestMappings"],
  "core.PreferredSchedulingTerm": ["preference"],
  "core.RBDPersistentVolumeSource": ["monitors"],
  "core.RBDVolumeSource": ["monitors"],
  "core.ScaleIOPersistentVolumeSource": ["secretRef"],
  "core.ScaleIOVolumeSource": ["secretRef"],
  "core.TCPSocketAction": ["port"],
  "core.WeightedPodAffinityTerm": ["podAffinityTerm"],
  "events.Event": ["eventTime"],
  "events.EventSeries": ["lastObservedTime"],
  "extensions.CustomResourceDefinition": ["spec"],
  "extensions.CustomResourceDefinitionSpec": ["names"],
  "extensions.WebhookConversion": ["conversionReviewVersions"],
  "meta.Condition": ["lastTransitionTime"],
  "rbac.ClusterRoleBinding": ["roleRef"],
  "rbac.RoleBinding": ["roleRef"],
  "resource.CapacityRequestPolicyRange": ["min"],
  "resource.Counter": ["value"],
  "resource.CounterSet": ["counters"],
  "resource.DeviceCapacity": ["value"],
  "resource.DeviceCounterConsumption": ["counters"],
  "resource.OpaqueDeviceConfiguration": ["parameters"],
  "resource.ResourceClaim": ["spec"],
  "resource.ResourceSlice": ["spec"],
  "resource.ResourceSliceSpec": ["pool"],
  "storage.CSIDriver": ["spec"],
  "storage.CSINode": ["spec"],
  "storage.VolumeAttachment": ["spec"],
  "storage.VolumeAttachmentSpec": ["source"],
};

/** Always written, and still optional in a request. */
const EXCEPT: Readonly<Record<string, readonly string[]>> = {
  "authentication.TokenRequestStatus": ["token"],
  "core.ContainerImage": ["names"],
  "core.Event": ["reportingComponent", "reportingInstance"],
  "core.NodeRuntimeHandler": ["name"],
  "core.ProjectedVolumeSource": ["sources"],
  "discovery.EndpointSlice": ["endpoints", "ports"],
  "extensions.CustomResourceDefinitionStatus": ["conditions", "storedVersions"],
  "rbac.ClusterRole": ["rules"],
  "rbac.Role": ["rules"],
  "rbac.RoleRef": ["apiGroup"],
  "resource.AllocatedDeviceStatus": ["conditions"],
  "resource.DeviceClaim": ["requests"],
  "scheduling.PriorityClass": ["value"],
  "storage.CSINodeDriver": ["topologyKeys"],
};

export function requiredFields(schema: StructSchema): readonly string[] {
  const also = ALSO[schema.name] ?? [];
  const except = EXCEPT[schema.name] ?? [];
  const isAlways = ([, field]: readonly [string, Field]) => !field.omitsEmpty;
  // Lists of a kind are all alike, and not in the tables.
  const list = schema.name.endsWith("List") && schema.fields().has("items") ? ["items"] : [];
  const always = [...schema.fields()].filter(isAlways).map(([name]) => name);
  return [...new Set([...always, ...list, ...also])].filter((name) => !except.includes(name));
}
