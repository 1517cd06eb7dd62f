// What keeps a cluster going: leases, events, addresses of services, evictions, classes.

import type { ApiGroup } from "../api-group.ts";
import { eventV1Strategy } from "../kinds/event-v1.ts";
import { endpointSliceStrategy } from "../kinds/network/endpoints.ts";
import { leaseStrategy, priorityClassStrategy, runtimeClassStrategy } from "../kinds/workings.ts";

export const COORDINATION: ApiGroup = {
  apiVersion: "coordination.k8s.io/v1",
  packageName: "coordination",
  kinds: [leaseStrategy],
  messages: `
Lease = 1 metadata meta.ObjectMeta, 2 spec LeaseSpec
LeaseSpec = 1 holderIdentity? string, 2 leaseDurationSeconds? int32, 3 acquireTime? MicroTime, 4 renewTime? MicroTime,
  5 leaseTransitions? int32, 6 strategy? string, 7 preferredHolder? string
`,
};

export const EVENTS_GROUP: ApiGroup = {
  apiVersion: "events.k8s.io/v1",
  packageName: "events",
  kinds: [eventV1Strategy],
  messages: `
Event = 1 metadata meta.ObjectMeta, 2 eventTime+ MicroTime, 3 series? EventSeries, 4 reportingController string,
  5 reportingInstance string, 6 action string, 7 reason string, 8 regarding core.ObjectReference,
  9 related? core.ObjectReference, 10 note string, 11 type string, 12 deprecatedSource core.EventSource,
  13 deprecatedFirstTimestamp Time, 14 deprecatedLastTimestamp Time, 15 deprecatedCount int32
EventSeries = 1 count! int32, 2 lastObservedTime+ MicroTime
`,
};

export const DISCOVERY: ApiGroup = {
  apiVersion: "discovery.k8s.io/v1",
  packageName: "discovery",
  kinds: [endpointSliceStrategy],
  messages: `
EndpointSlice = 1 metadata meta.ObjectMeta, 2 endpoints!~ []Endpoint, 3 ports!~ []EndpointPort, 4 addressType! string
Endpoint = 1 addresses! []string set, 2 conditions EndpointConditions, 3 hostname? string,
  4 targetRef? core.ObjectReference, 5 deprecatedTopology {}string, 6 nodeName? string, 7 zone? string,
  8 hints? EndpointHints
EndpointConditions = 1 ready? bool, 2 serving? bool, 3 terminating? bool
EndpointHints = 1 forZones []ForZone, 2 forNodes []ForNode
ForZone = 1 name! string
ForNode = 1 name! string
EndpointPort atomic = 1 name? string, 2 protocol? string, 3 port? int32, 4 appProtocol? string
`,
};

export const NODE: ApiGroup = {
  apiVersion: "node.k8s.io/v1",
  packageName: "node",
  kinds: [runtimeClassStrategy],
  messages: `
RuntimeClass = 1 metadata meta.ObjectMeta, 2 handler! string, 3 overhead? Overhead, 4 scheduling? Scheduling
Overhead = 1 podFixed {}Quantity
Scheduling = 1 nodeSelector {}string atomic, 2 tolerations []core.Toleration
`,
};

export const POLICY: ApiGroup = {
  apiVersion: "policy/v1",
  packageName: "policy",
  messages: `
Eviction = 1 metadata meta.ObjectMeta, 2 deleteOptions? meta.DeleteOptions
`,
};

export const SCHEDULING: ApiGroup = {
  apiVersion: "scheduling.k8s.io/v1",
  packageName: "scheduling",
  kinds: [priorityClassStrategy],
  messages: `
PriorityClass = 1 metadata meta.ObjectMeta, 2 value!~ int32, 3 globalDefault bool, 4 description string,
  5 preemptionPolicy? string
`,
};

export const AUTOSCALING: ApiGroup = {
  apiVersion: "autoscaling/v1",
  packageName: "autoscaling",
  messages: `
Scale = 1 metadata meta.ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
ScaleSpec = 1 replicas int32
ScaleStatus = 1 replicas! int32, 2 selector string
`,
};
