// Which claim a PersistentVolume belongs to, and which secrets a kubelet needs to mount it. Pure; the list is that of
// kubernetes/pkg/api/v1/persistentvolume/util.go without the secrets that only controllers may see.

import type { KubeObject } from "../../api/meta/index.ts";
import type { RelatedObject } from "../facts.ts";
import { textOf } from "./pod-shape.ts";

interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

interface WithSecret {
  readonly secretRef?: SecretReference;
}

export interface VolumeWithReferences extends KubeObject {
  readonly spec?: {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly azureFile?: { readonly secretName?: string; readonly secretNamespace?: string };
    readonly cephfs?: WithSecret;
    readonly cinder?: WithSecret;
    readonly flexVolume?: WithSecret;
    readonly rbd?: WithSecret;
    readonly scaleIO?: WithSecret;
    readonly iscsi?: WithSecret;
    readonly storageos?: WithSecret;
    readonly csi?: {
      readonly driver?: string;
      readonly nodePublishSecretRef?: SecretReference;
      readonly nodeStageSecretRef?: SecretReference;
      readonly nodeExpandSecretRef?: SecretReference;
    };
  };
}

type Source = NonNullable<VolumeWithReferences["spec"]>;

export interface ReferencesOfVolume {
  readonly claim: RelatedObject;
  readonly secrets: readonly RelatedObject[];
}

/** Undefined for a volume that no claim has: it gives access to nothing. */
export function referencesOfVolume({ spec }: VolumeWithReferences): ReferencesOfVolume | undefined {
  if (spec?.claimRef === undefined) return undefined;
  const namespace = textOf(spec.claimRef?.namespace);
  const secrets = secretsOf(spec, namespace).filter(({ name }) => name !== "");
  return {
    claim: { resource: "persistentvolumeclaims", namespace, name: textOf(spec.claimRef?.name) },
    secrets,
  };
}

/** These look in the claim's namespace when the reference names none; the others then name no secret at all. */
const FALLS_BACK_TO_CLAIM = ["cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"] as const;
const NAMES_ITS_NAMESPACE = ["cinder", "storageos"] as const;

function secretsOf(spec: Source, claimNamespace: string): readonly RelatedObject[] {
  const { azureFile, csi } = spec;
  if (azureFile !== undefined) {
    const namespace = textOf(azureFile?.secretNamespace) || claimNamespace;
    return [aSecret(namespace, azureFile?.secretName)];
  }
  for (const source of FALLS_BACK_TO_CLAIM) {
    const reference = spec[source]?.secretRef;
    if (spec[source] !== undefined) return [aSecret(textOf(reference?.namespace) || claimNamespace, reference?.name)];
  }
  for (const source of NAMES_ITS_NAMESPACE) {
    const reference = spec[source]?.secretRef;
    if (spec[source] !== undefined) return [aSecret(textOf(reference?.namespace), reference?.name)];
  }
  return [csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef].map((reference) =>
    aSecret(textOf(reference?.namespace), reference?.name),
  );
}

function aSecret(namespace: string, name: string | undefined): RelatedObject {
  return { resource: "secrets", namespace, name: textOf(name) };
}
