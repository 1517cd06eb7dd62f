// Node, Secret, ConfigMap, Namespace, Event: only the fields this product reads or writes.

import type { KubeObject, ObjectMeta } from "../meta/index.ts";

export type { DeviceRequest, PriorityClass, ResourceClaim, ResourceSlice, RuntimeClass } from "./classes.ts";
export type { EndpointSlice, Endpoints, EndpointsSubset, Service, ServicePort, ServiceSpec } from "./network.ts";
export type {
  Binding,
  Container,
  ContainerStatus,
  EnvVar,
  Eviction,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  Probe,
  ServiceAccount,
  Toleration,
  Volume,
  VolumeProjection,
} from "./pod.ts";
export type {
  CsiDriver,
  CsiNode,
  CsiNodeDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "./storage.ts";

/** NodeRestriction keeps every kubelet from setting it. */
export const CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane";

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface Node extends KubeObject {
  spec?: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly unknown[];
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
  };
  status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
    readonly addresses?: readonly NodeAddress[];
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

export interface Secret extends KubeObject {
  type?: string;
  /** Base64 values. */
  data?: Readonly<Record<string, string>>;
  stringData?: Readonly<Record<string, string>>;
}

export interface ConfigMap extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

export interface Namespace extends KubeObject {
  status?: { readonly phase?: string };
}

export interface Event extends KubeObject {
  involvedObject: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
  reason?: string;
  message?: string;
  type?: "Normal" | "Warning";
  source?: { readonly component?: string };
  reportingComponent?: string;
  reportingInstance?: string;
  firstTimestamp?: string;
  lastTimestamp?: string;
  count?: number;
}

export interface Lease extends KubeObject {
  metadata: ObjectMeta;
  spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}
