// PersistentVolume: a piece of storage in the cluster. The main endpoint keeps the status, /status keeps the spec.

import type { PersistentVolume } from "../../../../api/core/index.ts";
import { PERSISTENT_VOLUMES } from "../../../../api/meta/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { type FieldError, forbiddenField, immutableField, invalid, notSupported, required } from "../../field-error.ts";
import { formatTime } from "../../metadata.ts";
import { dnsSubdomain } from "../../names.ts";
import { canonicalQuantities, parseQuantity } from "../../quantity.ts";
import { defineStrategy, SUBRESOURCE_VERBS } from "../../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../../table.ts";

const ACCESS_FIELD = "spec.accessModes";
const ONE_POD = "ReadWriteOncePod";
const ACCESS_MODES: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", ONE_POD];
const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  [ONE_POD]: "RWOP",
};

export const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];

/** Access modes as PersistentVolume and PersistentVolumeClaim share them. */
export function accessModeErrors(modes: readonly string[], whenEmpty: string): readonly FieldError[] {
  const hasOthers = modes.some((mode) => mode !== ONE_POD && ACCESS_MODES.includes(mode));
  return [
    ...(modes.length === 0 ? [required(ACCESS_FIELD, whenEmpty)] : []),
    ...modes
      .filter((mode) => !ACCESS_MODES.includes(mode))
      .map((mode) => notSupported(ACCESS_FIELD, mode, ACCESS_MODES)),
    ...(hasOthers && modes.includes(ONE_POD)
      ? [forbiddenField(ACCESS_FIELD, `may not use ${ONE_POD} with other access modes`)]
      : []),
  ];
}

/** `RWO,ROX`, always in this order. */
export function accessModesCell(modes: readonly string[]): string {
  return Object.entries(SHORT_MODES)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

type Spec = NonNullable<PersistentVolume["spec"]>;

const RECLAIM_POLICIES: readonly string[] = ["Delete", "Recycle", "Retain"];
/** The sources of a volume, of which exactly one is set. The order is that of the checks in Kubernetes. */
const SOURCES: readonly string[] = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];

function sourcesOf(spec: Spec): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => SOURCES.includes(field)));
}

function withDefaults(spec: Spec): Spec {
  const capacity = spec.capacity === undefined ? {} : { capacity: canonicalQuantities(spec.capacity) };
  return {
    ...spec,
    ...capacity,
    ...(spec.hostPath === undefined ? {} : { hostPath: { type: "", ...spec.hostPath } }),
    persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy ?? "Retain",
    volumeMode: spec.volumeMode ?? "Filesystem",
  };
}

function specErrors(spec: Spec): readonly FieldError[] {
  const { persistentVolumeReclaimPolicy: policy = "", volumeMode, storageClassName = "" } = spec;
  return [
    ...accessModeErrors(spec.accessModes ?? [], ""),
    ...capacityErrors(spec.capacity),
    ...(policy === "" || RECLAIM_POLICIES.includes(policy)
      ? []
      : [notSupported("spec.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES)]),
    ...sourceErrors(Object.keys(sourcesOf(spec))),
    ...(storageClassName === ""
      ? []
      : dnsSubdomain(storageClassName).map((text) => invalid("spec.storageClassName", storageClassName, text))),
    ...(volumeMode === undefined || VOLUME_MODES.includes(volumeMode)
      ? []
      : [notSupported("spec.volumeMode", volumeMode, VOLUME_MODES)]),
  ];
}

function capacityErrors(given: Readonly<Record<string, string>> | undefined): readonly FieldError[] {
  const capacity = given ?? {};
  const field = "spec.capacity";
  const names = Object.keys(capacity);
  const isOnlyStorage = names.length === 1 && names[0] === "storage";
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(isOnlyStorage ? [] : [notSupported(field, given ?? null, ["storage"])]),
    ...Object.entries(capacity).flatMap(([name, value]) =>
      (parseQuantity(value)?.nanos ?? 0n) > 0n
        ? []
        : [invalid(`${field}[${name}]`, value, "must be greater than zero")],
    ),
  ];
}

function sourceErrors(sources: readonly string[]): readonly FieldError[] {
  if (sources.length === 0) return [required("spec", "must specify a volume type")];
  const inOrder = SOURCES.filter((source) => sources.includes(source));
  return inOrder.slice(1).map((source) => forbiddenField(`spec.${source}`, "may not specify more than 1 volume type"));
}

function changeErrors(next: Spec, current: Spec): readonly FieldError[] {
  const isSameSource = isSameJson(sourcesOf(next), sourcesOf(current));
  const text = "spec.persistentvolumesource is immutable after creation";
  return [
    ...(isSameSource ? [] : [forbiddenField("spec.persistentvolumesource", text)]),
    ...immutableField("volumeMode", next.volumeMode, current.volumeMode),
  ];
}

export const persistentVolumeStrategy = defineStrategy<PersistentVolume>({
  resource: PERSISTENT_VOLUMES,
  shortNames: ["pv"],
  answersDeleteWithObject: true,
  prepareCreate: (sent, { nowMs }) => ({
    ...sent,
    spec: withDefaults(sent.spec ?? {}),
    status: { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) },
  }),
  validateCreate: ({ spec = {} }) => specErrors(spec),
  prepareUpdate: (sent, current) => ({ ...sent, spec: withDefaults(sent.spec ?? {}), status: current.status ?? {} }),
  validateUpdate: ({ spec = {} }, current) => [...specErrors(spec), ...changeErrors(spec, current.spec ?? {})],
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current, { nowMs }) => {
        const { phase } = current.status ?? {};
        const isMoved = sent.status?.phase !== phase;
        const moved = isMoved ? { lastPhaseTransitionTime: formatTime(nowMs) } : {};
        return { ...sent, spec: current.spec ?? {}, status: { ...sent.status, ...moved } };
      },
      validateUpdate: () => [],
    },
  ],
  table: {
    columns: [
      NAME_COLUMN,
      column("Capacity"),
      column("Access Modes"),
      column("Reclaim Policy"),
      column("Status"),
      column("Claim"),
      column("StorageClass"),
      column("VolumeAttributesClass"),
      column("Reason"),
      column("Age"),
      column("VolumeMode", 1),
    ],
    cells: (volume, nowMs) => {
      const { spec = {}, status = {}, metadata } = volume;
      const { claimRef } = spec;
      return [
        nameOf(volume),
        spec.capacity?.["storage"] ?? "0",
        accessModesCell(spec.accessModes ?? []),
        spec.persistentVolumeReclaimPolicy ?? "",
        metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
        claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
        spec.storageClassName ?? "",
        spec.volumeAttributesClassName ?? "<unset>",
        status.reason ?? "",
        ageCell(volume, nowMs),
        spec.volumeMode ?? "<unset>",
      ];
    },
  },
});
