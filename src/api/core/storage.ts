// The volumes of a cluster: PersistentVolume, PersistentVolumeClaim, StorageClass and the CSI kinds.

import type { KubeObject } from "../meta/index.ts";

type Quantities = Readonly<Record<string, string>>;

export interface PersistentVolume extends KubeObject {
  spec?: {
    readonly capacity?: Quantities;
    readonly accessModes?: readonly string[];
    readonly hostPath?: { readonly path?: string; readonly type?: string };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  };
  status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastPhaseTransitionTime?: string;
  };
}

export interface PersistentVolumeClaim extends KubeObject {
  spec?: {
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  status?: { readonly phase?: string; readonly accessModes?: readonly string[]; readonly capacity?: Quantities };
}

export interface VolumeAttachment extends KubeObject {
  spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string; readonly inlineVolumeSpec?: object };
  };
  status?: { readonly attached?: boolean };
}

export interface CsiNodeDriver {
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[] | null;
  readonly allocatable?: { readonly count?: number };
}

export interface CsiNode extends KubeObject {
  spec?: { readonly drivers?: readonly CsiNodeDriver[] | null };
}

export interface CsiDriver extends KubeObject {
  spec?: {
    readonly attachRequired?: boolean;
    readonly podInfoOnMount?: boolean;
    readonly storageCapacity?: boolean;
    readonly requiresRepublish?: boolean;
    readonly seLinuxMount?: boolean;
    readonly fsGroupPolicy?: string;
    readonly volumeLifecycleModes?: readonly string[];
    readonly tokenRequests?: readonly { readonly audience?: string; readonly expirationSeconds?: number }[];
  };
}

export interface StorageClass extends KubeObject {
  provisioner?: string;
  parameters?: Readonly<Record<string, string>>;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowVolumeExpansion?: boolean;
}
