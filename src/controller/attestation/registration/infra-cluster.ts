// The infrastructure object of a Cluster: found by discovery, because only its provider knows its version and plural; its fields by the
// proposal's names, and annotations for definitions that do not know those fields and would drop them.

import type { InfrastructureRef } from "../../../api/foreign/index.ts";
import type { KubeObject, Resource } from "../../../api/meta/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { type Discovering, getPreferredVersion, listServed } from "../../served/index.ts";
import type { AdvertisedSigners } from "./signers.ts";

export const CLIENT_SIGNER_ANNOTATION = "countersign.dev/kubelet-client-certificate-signer";
export const SERVING_SIGNER_ANNOTATION = "countersign.dev/kubelet-serving-certificate-signer";

export interface InfraCluster extends KubeObject {
  readonly status?: {
    readonly kubeletClientCertificateSigner?: string;
    readonly kubeletServingCertificateSigner?: string;
  };
}

/** A merge patch of the status; null takes an old name away. */
export function statusPatch({ client, serving }: AdvertisedSigners): object {
  const status = { kubeletClientCertificateSigner: client, kubeletServingCertificateSigner: serving ?? null };
  return { status };
}

export function annotationPatch({ client, serving }: AdvertisedSigners): object {
  const annotations = { [CLIENT_SIGNER_ANNOTATION]: client, [SERVING_SIGNER_ANNOTATION]: serving ?? null };
  return { metadata: { annotations } };
}

export function isInStatus({ status }: InfraCluster, { client, serving }: AdvertisedSigners): boolean {
  return status?.kubeletClientCertificateSigner === client && status.kubeletServingCertificateSigner === serving;
}

export function isAnnotated({ metadata }: InfraCluster, { client, serving }: AdvertisedSigners): boolean {
  const { annotations = {} } = metadata;
  return annotations[CLIENT_SIGNER_ANNOTATION] === client && annotations[SERVING_SIGNER_ANNOTATION] === serving;
}

/** Fault `not-found` where the kind is not served; why it could not be asked for is a fault of its own. */
export async function discover(home: Discovering, ref: InfrastructureRef): Promise<Resource> {
  const { group, kind } = ref;
  const version = ref.version ?? (await getPreferredVersion(home, group));
  const kinds = version === undefined ? undefined : await listServed(home, { group, version });
  if (version === undefined || kinds === undefined) {
    throw new Fault("not-found", `${version === undefined ? group : `${group}/${version}`} is not served`);
  }
  const served = kinds.find((one) => one.kind === kind);
  if (served === undefined) throw new Fault("not-found", `no kind ${kind} is served in ${group}/${version}`);
  return { group, version, plural: served.name, kind, namespaced: served.namespaced };
}
