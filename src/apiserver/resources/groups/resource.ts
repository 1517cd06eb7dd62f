// Dynamic allocation of devices.

import type { ApiGroup } from "../api-group.ts";
import { resourceClaimStrategy, resourceSliceStrategy } from "../kinds/allocation.ts";

export const RESOURCE: ApiGroup = {
  apiVersion: "resource.k8s.io/v1",
  packageName: "resource",
  kinds: [resourceClaimStrategy, resourceSliceStrategy],
  messages: `
ResourceSlice = 1 metadata meta.ObjectMeta, 2 spec+ ResourceSliceSpec
ResourceSliceSpec = 1 driver! string, 2 pool+ ResourcePool, 3 nodeName? string, 4 nodeSelector? core.NodeSelector,
  5 allNodes? bool, 6 devices []Device, 7 perDeviceNodeSelection? bool, 8 sharedCounters []CounterSet
ResourcePool = 1 name! string, 2 generation! int64, 3 resourceSliceCount! int64
Device = 1 name! string, 2 attributes {}DeviceAttribute, 3 capacity {}DeviceCapacity,
  4 consumesCounters []DeviceCounterConsumption, 5 nodeName? string, 6 nodeSelector? core.NodeSelector,
  7 allNodes? bool, 8 taints []DeviceTaint, 9 bindsToNode? bool, 10 bindingConditions []string,
  11 bindingFailureConditions []string, 12 allowMultipleAllocations? bool,
  13 nodeAllocatableResourceMappings {}NodeAllocatableResourceMapping
DeviceAttribute = 2 int? int64, 3 bool? bool, 4 string? string, 5 version? string, 6 ints []int64, 7 bools []bool,
  8 strings []string, 9 versions []string
DeviceCapacity = 1 value+ Quantity, 2 requestPolicy? CapacityRequestPolicy
CapacityRequestPolicy = 1 default? Quantity, 3 validValues []Quantity, 4 validRange? CapacityRequestPolicyRange
CapacityRequestPolicyRange = 1 min?+ Quantity, 2 max? Quantity, 3 step? Quantity
DeviceCounterConsumption = 1 counterSet! string, 2 counters+ {}Counter
Counter = 1 value+ Quantity
DeviceTaint = 1 key! string, 2 value string, 3 effect! string, 4 timeAdded? Time
NodeAllocatableResourceMapping = 1 capacityKey? string, 2 allocationMultiplier? Quantity
CounterSet = 1 name! string, 2 counters+ {}Counter
ResourceClaim = 1 metadata meta.ObjectMeta, 2 spec+ ResourceClaimSpec, 3 status ResourceClaimStatus
ResourceClaimSpec = 1 devices DeviceClaim
DeviceClaim = 1 requests!~ []DeviceRequest, 2 constraints []DeviceConstraint, 3 config []DeviceClaimConfiguration
DeviceRequest = 1 name! string, 2 exactly? ExactDeviceRequest, 3 firstAvailable []DeviceSubRequest
ExactDeviceRequest = 1 deviceClassName! string, 2 selectors []DeviceSelector, 3 allocationMode string, 4 count int64,
  5 adminAccess? bool, 6 tolerations []DeviceToleration, 7 capacity? CapacityRequirements
DeviceSelector = 1 cel? CELDeviceSelector
CELDeviceSelector = 1 expression! string
DeviceToleration = 1 key string, 2 operator string, 3 value string, 4 effect string, 5 tolerationSeconds? int64
CapacityRequirements = 1 requests {}Quantity
DeviceSubRequest = 1 name! string, 2 deviceClassName! string, 3 selectors []DeviceSelector, 4 allocationMode string,
  5 count int64, 6 tolerations []DeviceToleration, 7 capacity? CapacityRequirements
DeviceConstraint = 1 requests []string, 2 matchAttribute? string, 3 distinctAttribute? string
DeviceClaimConfiguration = 1 requests []string, 2 - DeviceConfiguration
DeviceConfiguration = 1 opaque? OpaqueDeviceConfiguration
OpaqueDeviceConfiguration = 1 driver! string, 2 parameters+ Raw
ResourceClaimStatus = 1 allocation? AllocationResult, 2 reservedFor []ResourceClaimConsumerReference map uid merge,
  4 devices []AllocatedDeviceStatus map driver device pool shareID
AllocationResult = 1 devices DeviceAllocationResult, 3 nodeSelector? core.NodeSelector, 5 allocationTimestamp? Time
DeviceAllocationResult = 1 results []DeviceRequestAllocationResult, 2 config []DeviceAllocationConfiguration
DeviceRequestAllocationResult = 1 request! string, 2 driver! string, 3 pool! string, 4 device! string,
  5 adminAccess? bool, 6 tolerations []DeviceToleration, 7 bindingConditions []string,
  8 bindingFailureConditions []string, 9 shareID? string, 10 consumedCapacity {}Quantity
DeviceAllocationConfiguration = 1 source! string, 2 requests []string, 3 - DeviceConfiguration
ResourceClaimConsumerReference = 1 apiGroup string, 3 resource! string, 4 name! string, 5 uid! string
AllocatedDeviceStatus = 1 driver! string, 2 pool! string, 3 device! string, 4 conditions!~ []meta.Condition map type,
  5 data? Raw, 6 networkData? NetworkDeviceData, 7 shareID? string
NetworkDeviceData = 1 interfaceName string, 2 ips []string, 3 hardwareAddress string
`,
};
