// The core group: what is served of it, and the fields of its small kinds.

import { BINDINGS, SERVICE_ACCOUNTS, TOKEN_REQUESTS } from "../../../api/meta/index.ts";
import type { ApiGroup } from "../api-group.ts";
import { eventStrategy } from "../kinds/event.ts";
import { configMapStrategy, secretStrategy } from "../kinds/key-value.ts";
import { namespaceStrategy } from "../kinds/namespace.ts";
import { endpointsStrategy } from "../kinds/network/endpoints.ts";
import { serviceStrategy } from "../kinds/network/service.ts";
import { nodeStrategy } from "../kinds/node.ts";
import { bindingSubresource, podStrategy } from "../kinds/pod/strategy.ts";
import { persistentVolumeStrategy } from "../kinds/volumes/persistent-volume.ts";
import { persistentVolumeClaimStrategy } from "../kinds/volumes/persistent-volume-claim.ts";
import { defineStrategy } from "../strategy.ts";
import { AGE_TABLE } from "../table.ts";
import { CORE_NODE } from "./core-node.ts";
import { CORE_POD } from "./core-pod.ts";
import { CORE_VOLUMES } from "./core-volumes.ts";

export const CORE: ApiGroup = {
  apiVersion: "v1",
  packageName: "core",
  kinds: [
    configMapStrategy,
    endpointsStrategy,
    eventStrategy,
    namespaceStrategy,
    nodeStrategy,
    persistentVolumeClaimStrategy,
    persistentVolumeStrategy,
    podStrategy,
    secretStrategy,
    // What a token request may ask for is decided in verbs/posts: that needs the objects that the token is bound to.
    defineStrategy({
      resource: SERVICE_ACCOUNTS,
      shortNames: ["sa"],
      answersDeleteWithObject: true,
      creates: [{ name: "token", resource: TOKEN_REQUESTS, validate: () => [] }],
      table: AGE_TABLE,
    }),
    serviceStrategy,
  ],
  posted: [{ resource: BINDINGS, strategy: podStrategy, subresource: bindingSubresource }],
  messages: `
Namespace = 1 metadata meta.ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus
NamespaceSpec = 1 finalizers []string
NamespaceStatus = 1 phase string, 2 conditions []NamespaceCondition map type merge
NamespaceCondition = 1 type! string, 2 status! string, 4 lastTransitionTime Time, 5 reason string, 6 message string
ConfigMap = 1 metadata meta.ObjectMeta, 2 data {}string, 3 binaryData {}bytes, 4 immutable? bool
Secret = 1 metadata meta.ObjectMeta, 2 data {}bytes, 3 type string, 4 stringData {}string, 5 immutable? bool
ServiceAccount = 1 metadata meta.ObjectMeta, 2 secrets []ObjectReference map name merge,
  3 imagePullSecrets []LocalObjectReference, 4 automountServiceAccountToken? bool
ObjectReference atomic = 1 kind string, 2 namespace string, 3 name string, 4 uid string, 5 apiVersion string,
  6 resourceVersion string, 7 fieldPath string
LocalObjectReference atomic = 1 name string
Event = 1 metadata+ meta.ObjectMeta, 2 involvedObject+ ObjectReference, 3 reason string, 4 message string,
  5 source EventSource, 6 firstTimestamp Time, 7 lastTimestamp Time, 8 count int32, 9 type string,
  10 eventTime MicroTime, 11 series? EventSeries, 12 action string, 13 related? ObjectReference,
  14 reportingComponent!~ string, 15 reportingInstance!~ string
EventSource = 1 component string, 2 host string
EventSeries = 1 count int32, 2 lastObservedTime MicroTime
Service = 1 metadata meta.ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus
ServiceSpec = 1 ports []ServicePort map port protocol merge, 2 selector {}string atomic, 3 clusterIP string,
  4 type string, 5 externalIPs []string, 7 sessionAffinity string, 8 loadBalancerIP string,
  9 loadBalancerSourceRanges []string, 10 externalName string, 11 externalTrafficPolicy string,
  12 healthCheckNodePort int32, 13 publishNotReadyAddresses bool, 14 sessionAffinityConfig? SessionAffinityConfig,
  17 ipFamilyPolicy? string, 18 clusterIPs []string, 19 ipFamilies []string, 20 allocateLoadBalancerNodePorts? bool,
  21 loadBalancerClass? string, 22 internalTrafficPolicy? string, 23 trafficDistribution? string
ServicePort = 1 name string, 2 protocol string, 3 port! int32, 4 targetPort IntOrString, 5 nodePort int32,
  6 appProtocol? string
SessionAffinityConfig = 1 clientIP? ClientIPConfig
ClientIPConfig = 1 timeoutSeconds? int32
ServiceStatus = 1 loadBalancer LoadBalancerStatus, 2 conditions []meta.Condition map type merge
LoadBalancerStatus = 1 ingress []LoadBalancerIngress
LoadBalancerIngress = 1 ip string, 2 hostname string, 3 ipMode? string, 4 ports []PortStatus
PortStatus = 1 port! int32, 2 protocol! string, 3 error? string
Endpoints = 1 metadata meta.ObjectMeta, 2 subsets []EndpointSubset
EndpointSubset = 1 addresses []EndpointAddress, 2 notReadyAddresses []EndpointAddress, 3 ports []EndpointPort
EndpointAddress atomic = 1 ip! string, 2 targetRef? ObjectReference, 3 hostname string, 4 nodeName? string
EndpointPort atomic = 1 name string, 2 port! int32, 3 protocol string, 4 appProtocol? string
Binding = 1 metadata meta.ObjectMeta, 2 target+ ObjectReference
${CORE_NODE}${CORE_POD}${CORE_VOLUMES}`,
};
