// A mirror pod must not refer to any object of the API: the reference would give its node access to the object. A
// volume type that is not known to be harmless is refused. Behaviour of HasAPIObjectReference in
// kubernetes/pkg/api/pod/util.go.

import {
  configMapsOfPod,
  itemsOf,
  type PodWithReferences,
  secretsOfPod,
  textOf,
} from "../../../../authorizer/index.ts";
import { quoted } from "./rule.ts";

interface MirrorVolume {
  readonly name?: string;
  readonly projected?: { readonly sources?: readonly object[] };
}

/**
 * What a volume source refers to. Several of these cannot be reached: the pod's secrets and configmaps are found
 * before.
 */
const REFERRING_SOURCES: ReadonlyMap<string, string> = new Map([
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
]);

const REFERRING_PROJECTIONS: ReadonlyMap<string, string> = new Map([
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
]);

/** The secrets that some of these can name have been checked before. */
const HARMLESS_SOURCES: readonly string[] = [
  "awsElasticBlockStore",
  "azureDisk",
  "cephfs",
  "cinder",
  "downwardAPI",
  "emptyDir",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "hostPath",
  "image",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
];

export function referenceProblem(pod: PodWithReferences, who: string): string | undefined {
  const what = referredTo(pod);
  if (what === undefined) return undefined;
  if (what.unknown) return `error checking mirror pod for API references: ${what.text}`;
  return `${who} can not create pods that reference ${what.text}`;
}

interface Found {
  readonly text: string;
  /** It is not known whether the volume refers to something. */
  readonly unknown: boolean;
}

const reference = (text: string): Found => ({ text, unknown: false });
const unknown = (text: string): Found => ({ text, unknown: true });

function referredTo(pod: PodWithReferences): Found | undefined {
  const { spec } = pod;
  if ((spec?.serviceAccountName || spec?.serviceAccount || "") !== "") return reference("serviceaccounts");
  if (secretsOfPod(pod).length > 0) return reference("secrets");
  if (configMapsOfPod(pod).length > 0) return reference("configmaps");
  if (spec?.resourceClaims !== undefined && !isEmptyList(spec.resourceClaims)) return reference("resourceclaims");
  if (spec?.volumes === undefined) return undefined;
  // A value that is not a list must not pass as "no volumes".
  if (!Array.isArray(spec.volumes)) return unknown("spec.volumes is not a list");
  for (const volume of spec.volumes) {
    const found = inVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A volume without any source is an empty directory. That it has at most one is validated later; here each counts. */
function inVolume(volume: MirrorVolume | null): Found | undefined {
  const keys = Object.keys(volume ?? {}).filter((key) => key !== "name");
  const referring = keys.find((key) => REFERRING_SOURCES.has(key));
  if (referring !== undefined) return reference(REFERRING_SOURCES.get(referring) ?? "");
  const projected = keys.includes("projected") ? inProjection(volume ?? {}) : undefined;
  if (projected !== undefined) return projected;
  const isKnown = keys.every((key) => key === "projected" || HARMLESS_SOURCES.includes(key));
  return isKnown ? undefined : unknown(`unknown volume type for volume  ${quoted(textOf(volume?.name))}`);
}

function inProjection({ name, projected }: MirrorVolume): Found | undefined {
  for (const source of itemsOf(projected?.sources)) {
    const keys = Object.keys(source);
    const referring = keys.find((key) => REFERRING_PROJECTIONS.has(key));
    if (referring !== undefined) return reference(REFERRING_PROJECTIONS.get(referring) ?? "");
    const isKnown = keys.length > 0 && keys.every((key) => key === "downwardAPI");
    if (!isKnown) return unknown(`unknown source for projected volume ${quoted(textOf(name))}`);
  }
  return undefined;
}
