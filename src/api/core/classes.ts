// RuntimeClass, PriorityClass, ResourceSlice and ResourceClaim: what decides how and where a pod may run.

import type { KubeObject } from "../meta/index.ts";
import type { Toleration } from "./pod.ts";

export interface RuntimeClass extends KubeObject {
  handler?: string;
  /** What running a pod in this way costs beside its containers. */
  overhead?: { readonly podFixed?: Readonly<Record<string, string>> };
  /** Where such pods can run. */
  scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

export interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

export interface ResourceSlice extends KubeObject {
  spec?: {
    readonly driver?: string;
    readonly nodeName?: string;
    readonly nodeSelector?: object;
    readonly allNodes?: boolean;
    readonly perDeviceNodeSelection?: boolean;
    readonly pool?: { readonly name?: string; readonly generation?: number; readonly resourceSliceCount?: number };
    readonly devices?: readonly { readonly name?: string }[];
    readonly sharedCounters?: readonly { readonly name?: string }[];
  };
}

export interface ResourceClaim extends KubeObject {
  spec?: { readonly devices?: { readonly requests?: readonly DeviceRequest[] } };
  status?: { readonly allocation?: object; readonly reservedFor?: readonly object[] };
}

export interface DeviceRequest {
  readonly name?: string;
  readonly exactly?: {
    readonly deviceClassName?: string;
    readonly allocationMode?: string;
    readonly count?: number;
  };
  readonly firstAvailable?: readonly object[];
}
