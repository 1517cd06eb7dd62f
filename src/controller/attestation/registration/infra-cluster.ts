// The infrastructure object of a Cluster: found by discovery, because only its provider knows its version and plural; its fields by the
// proposal's names, and annotations for definitions that do not know those fields and would drop them.

import type { InfrastructureRef } from "../../../api/foreign/index.ts";
import type { KubeObject, Resource } from "../../../api/meta/index.ts";
import { parseUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
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

/** Fault `not-found` where the kind is not served. */
export async function discover(home: Pick<KubeClient, "raw">, ref: InfrastructureRef): Promise<Resource> {
  const { group, kind } = ref;
  const version = ref.version ?? (await preferredVersion(home, group));
  const { resources = [] } = await getJson<{ resources?: readonly Served[] }>(home, `/apis/${group}/${version}`);
  const served = resources.find((one) => one.kind === kind && !one.name.includes("/"));
  if (served === undefined) throw new Fault("not-found", `no kind ${kind} is served in ${group}/${version}`);
  return { group, version, plural: served.name, kind, namespaced: served.namespaced };
}

interface Served {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

async function preferredVersion(home: Pick<KubeClient, "raw">, group: string): Promise<string> {
  const found = await getJson<{ preferredVersion?: { version?: string } }>(home, `/apis/${group}`);
  const version = found.preferredVersion?.version;
  if (version === undefined) throw new Fault("not-found", `no version of ${group} is served`);
  return version;
}

async function getJson<T>(home: Pick<KubeClient, "raw">, path: string): Promise<T> {
  const { status, body } = await home.raw("GET", path);
  if (status !== 200) throw new Fault("not-found", `${path} is not served`);
  return JSON.parse(parseUtf8(body)) as T;
}
