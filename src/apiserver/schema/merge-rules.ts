// How the lists and maps of built-in kinds merge, where they are more than values that are replaced whole. Facts of the
// Go types in k8s.io/api (listType, listMapKey, mapType, patchStrategy, patchMergeKey), one field a line:
//
//   package.Message.field <set|map key…|list> [merge [key]] [retain]
//
// The first word and its keys are for server-side apply; `merge` is for strategic merge patches, by the first key if none is
// named. A field that is not here has an atomic list, a map that merges key by key, or a struct that merges.

export const LIST_RULES = `
meta.ObjectMeta.finalizers set merge
meta.ObjectMeta.ownerReferences map uid merge
core.NamespaceStatus.conditions map type merge
core.NodeSpec.podCIDRs set merge
core.NodeStatus.addresses map type merge
core.NodeStatus.conditions map type merge
core.Container.env map name merge
core.Container.ports map containerPort protocol merge
core.Container.volumeDevices map devicePath merge
core.Container.volumeMounts map mountPath merge
core.ContainerRestartRuleOnExitCodes.values set
core.ContainerStatus.allocatedResourcesStatus map name merge
core.ContainerStatus.volumeMounts map mountPath merge
core.EphemeralContainerCommon.env map name merge
core.EphemeralContainerCommon.ports map containerPort protocol merge
core.EphemeralContainerCommon.volumeDevices map devicePath merge
core.EphemeralContainerCommon.volumeMounts map mountPath merge
core.NodeAllocatableResourceClaimStatus.containers set
core.PersistentVolumeClaimStatus.conditions map type merge
core.PodSpec.containers map name merge
core.PodSpec.ephemeralContainers map name merge
core.PodSpec.initContainers map name merge
core.PodSpec.hostAliases map ip merge
core.PodSpec.imagePullSecrets map name merge
core.PodSpec.resourceClaims map name merge retain
core.PodSpec.schedulingGates map name merge
core.PodSpec.topologySpreadConstraints map topologyKey whenUnsatisfiable merge
core.PodSpec.volumes map name merge retain
core.PodStatus.conditions map type merge
core.PodStatus.hostIPs list merge ip
core.PodStatus.podIPs map ip merge
core.PodStatus.resourceClaimStatuses map name merge retain
core.ResourceRequirements.claims map name
core.ResourceStatus.resources map resourceID
core.ServiceAccount.secrets map name merge
core.ServiceSpec.ports map port protocol merge
core.ServiceStatus.conditions map type merge
certificates.CertificateSigningRequestStatus.conditions map type
discovery.Endpoint.addresses set
resource.AllocatedDeviceStatus.conditions map type
resource.ResourceClaimStatus.devices map driver device pool shareID
resource.ResourceClaimStatus.reservedFor map uid merge
storage.CSIDriverSpec.volumeLifecycleModes set
storage.CSINodeSpec.drivers map name merge
extensions.CustomResourceDefinitionStatus.conditions map type
extensions.JSONSchemaProps.x-kubernetes-validations map rule merge
`;

/** A port that names no protocol is a TCP port, also as the key of its list. */
export const KEY_DEFAULTS: Readonly<Record<string, string>> = { protocol: "TCP" };

/** Structs and maps with one owner for the whole of them. */
export const ATOMIC_VALUES: ReadonlySet<string> = new Set([
  "meta.LabelSelector",
  "meta.OwnerReference",
  "core.ConfigMapKeySelector",
  "core.EndpointAddress",
  "core.EndpointPort",
  "core.FileKeySelector",
  "core.LocalObjectReference",
  "core.NodeSelector",
  "core.NodeSelectorTerm",
  "core.ObjectFieldSelector",
  "core.ObjectReference",
  "core.ResourceFieldSelector",
  "core.SecretKeySelector",
  "core.SecretReference",
  "core.TopologySelectorTerm",
  "core.TypedLocalObjectReference",
  "core.PodSpec.nodeSelector",
  "core.ServiceSpec.selector",
  "node.Scheduling.nodeSelector",
  "discovery.EndpointPort",
  "rbac.RoleRef",
  "rbac.Subject",
]);

/** Fields whose struct is atomic elsewhere and merges here. */
export const GRANULAR_FIELDS: ReadonlySet<string> = new Set(["core.PersistentVolumeSpec.claimRef"]);

/** Lists that Go tells as null when they are empty, because their tag has no omitempty. */
export const TOLD_LISTS: ReadonlySet<string> = new Set([
  "core.ContainerImage.names",
  "core.NodeSelector.nodeSelectorTerms",
  "core.PodSpec.containers",
  "core.ProjectedVolumeSource.sources",
  "core.TopologySelectorLabelRequirement.values",
  "discovery.Endpoint.addresses",
  "discovery.EndpointSlice.endpoints",
  "discovery.EndpointSlice.ports",
  "extensions.CustomResourceDefinitionSpec.versions",
  "extensions.CustomResourceDefinitionStatus.conditions",
  "extensions.CustomResourceDefinitionStatus.storedVersions",
  "rbac.ClusterRole.rules",
  "rbac.PolicyRule.verbs",
  "rbac.Role.rules",
  "resource.AllocatedDeviceStatus.conditions",
  "resource.DeviceClaim.requests",
  "storage.CSINodeDriver.topologyKeys",
  "storage.CSINodeSpec.drivers",
]);

export interface ListRule {
  readonly listType: "set" | "map" | "atomic";
  readonly keys: readonly string[];
  readonly patchMerge: { readonly key: string | undefined } | undefined;
  readonly retainsKeys: boolean;
}

export function parseListRules(text: string): ReadonlyMap<string, ListRule> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [field = "", type = "", ...words] = line.split(" ");
      const merge = words.indexOf("merge");
      const keys = merge < 0 ? words : words.slice(0, merge);
      const named = merge < 0 ? undefined : words.slice(merge + 1).find((word) => word !== "retain");
      const rule: ListRule = {
        listType: type === "set" || type === "map" ? type : "atomic",
        keys,
        patchMerge: merge < 0 ? undefined : { key: named ?? keys[0] },
        retainsKeys: words.includes("retain"),
      };
      return [field, rule];
    }),
  );
}
