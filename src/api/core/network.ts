// Service, Endpoints and EndpointSlice: what the API server reads of them.

import type { KubeObject } from "../meta/index.ts";

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface ServiceSpec {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly ports?: readonly ServicePort[];
  readonly selector?: Readonly<Record<string, string>>;
  readonly sessionAffinity?: string;
  readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
  readonly externalName?: string;
  readonly externalIPs?: readonly string[];
  readonly externalTrafficPolicy?: string;
  readonly internalTrafficPolicy?: string;
  readonly allocateLoadBalancerNodePorts?: boolean;
}

export interface Service extends KubeObject {
  spec?: ServiceSpec;
  status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string; readonly ipMode?: string }[];
    };
  };
}

export interface EndpointsSubset {
  readonly addresses?: readonly { readonly ip?: string }[];
  readonly notReadyAddresses?: readonly { readonly ip?: string }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[];
}

export interface Endpoints extends KubeObject {
  subsets?: readonly EndpointsSubset[];
}

export interface EndpointSlice extends KubeObject {
  addressType?: string;
  endpoints?:
    | readonly { readonly addresses?: readonly string[]; readonly nodeName?: string; readonly conditions?: object }[]
    | null;
  ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[] | null;
}
