// The parts of a Pod that can point to other objects. Everything is optional: see itemsOf.

import type { KubeObject } from "../../api/meta/index.ts";

interface LocalReference {
  readonly name?: string;
}

interface WithSecret {
  readonly secretRef?: LocalReference;
}

interface ProjectedSource {
  readonly secret?: LocalReference;
  readonly configMap?: LocalReference;
  readonly serviceAccountToken?: { readonly audience?: string };
}

/** One of the sources is set; the names are those of the API. */
export interface VolumeReferences {
  readonly name?: string;
  readonly azureFile?: { readonly secretName?: string };
  readonly cephfs?: WithSecret;
  readonly cinder?: WithSecret;
  readonly flexVolume?: WithSecret;
  readonly projected?: { readonly sources?: readonly ProjectedSource[] };
  readonly rbd?: WithSecret;
  readonly secret?: { readonly secretName?: string };
  readonly scaleIO?: WithSecret;
  readonly iscsi?: WithSecret;
  readonly storageos?: WithSecret;
  readonly csi?: { readonly driver?: string; readonly nodePublishSecretRef?: LocalReference };
  readonly configMap?: LocalReference;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: object;
}

export interface ContainerReferences {
  readonly envFrom?: readonly { readonly secretRef?: LocalReference; readonly configMapRef?: LocalReference }[];
  readonly env?: readonly {
    readonly valueFrom?: { readonly secretKeyRef?: LocalReference; readonly configMapKeyRef?: LocalReference };
  }[];
}

export interface PodWithReferences extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    /** The old name of the same field. */
    readonly serviceAccount?: string;
    readonly imagePullSecrets?: readonly LocalReference[];
    readonly initContainers?: readonly ContainerReferences[];
    readonly containers?: readonly ContainerReferences[];
    readonly ephemeralContainers?: readonly ContainerReferences[];
    readonly volumes?: readonly VolumeReferences[];
    readonly resourceClaims?: readonly {
      readonly name?: string;
      readonly resourceClaimName?: string;
      readonly resourceClaimTemplateName?: string;
    }[];
  };
  readonly status?: {
    readonly resourceClaimStatuses?: readonly { readonly name?: string; readonly resourceClaimName?: string }[];
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
}

// Reading objects whose inner types may be unchecked: an API server stores fields it does not know as they came.
// What is not of the expected type is not there; it must neither throw nor count as a name.

/** The objects of a list. */
export function itemsOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

export function textOf(value: string | undefined): string {
  return typeof value === "string" ? value : "";
}
