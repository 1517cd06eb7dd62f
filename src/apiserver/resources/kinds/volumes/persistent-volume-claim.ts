// PersistentVolumeClaim: a request for storage. Its spec is immutable except for the bound volume and the size.

import type { PersistentVolumeClaim } from "../../../../api/core/index.ts";
import { PERSISTENT_VOLUME_CLAIMS } from "../../../../api/meta/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { type FieldError, forbiddenField, immutableField, invalid, notSupported, required } from "../../field-error.ts";
import { dnsSubdomain } from "../../names.ts";
import { canonicalQuantities, parseQuantity } from "../../quantity.ts";
import { defineStrategy, SUBRESOURCE_VERBS } from "../../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../../table.ts";
import { accessModeErrors, accessModesCell, VOLUME_MODES } from "./persistent-volume.ts";

type Claim = PersistentVolumeClaim;
type Spec = NonNullable<Claim["spec"]>;

function withDefaults(spec: Spec): Spec {
  const { requests, limits } = spec.resources ?? {};
  const resources = {
    ...spec.resources,
    ...(requests === undefined ? {} : { requests: canonicalQuantities(requests) }),
    ...(limits === undefined ? {} : { limits: canonicalQuantities(limits) }),
  };
  return { ...spec, resources, volumeMode: spec.volumeMode ?? "Filesystem" };
}

function specErrors(spec: Spec): readonly FieldError[] {
  const { storageClassName = "", volumeMode } = spec;
  return [
    ...accessModeErrors(spec.accessModes ?? [], "at least 1 access mode is required"),
    ...requestErrors(spec.resources?.requests?.["storage"]),
    ...(storageClassName === ""
      ? []
      : dnsSubdomain(storageClassName).map((text) => invalid("spec.storageClassName", storageClassName, text))),
    ...(volumeMode === undefined || VOLUME_MODES.includes(volumeMode)
      ? []
      : [notSupported("spec.volumeMode", volumeMode, VOLUME_MODES)]),
  ];
}

function requestErrors(storage: string | undefined): readonly FieldError[] {
  const field = "spec.resources[storage]";
  if (storage === undefined) return [required(field)];
  return sizeOf(storage) > 0n ? [] : [invalid(field, storage, "must be greater than zero")];
}

function sizeOf(quantity: string | undefined): bigint {
  return (quantity === undefined ? undefined : parseQuantity(quantity)?.nanos) ?? 0n;
}

const IMMUTABLE_TEXT =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function changeErrors(next: Claim, current: Claim): readonly FieldError[] {
  const [asked, before] = [next.spec ?? {}, current.spec ?? {}];
  const isBound = current.status?.phase === "Bound";
  const shrunk = sizeOf(asked.resources?.requests?.["storage"]) < sizeOf(before.resources?.requests?.["storage"]);
  const fits = sizeOf(asked.resources?.requests?.["storage"]) > sizeOf(current.status?.capacity?.["storage"]);
  const size = "spec.resources.requests.storage";
  return [
    ...(isSameJson(fixedPart(asked, before, isBound), before) ? [] : [forbiddenField("spec", IMMUTABLE_TEXT)]),
    ...(shrunk && !fits ? [forbiddenField(size, "field can not be less than status.capacity")] : []),
    ...immutableField("volumeMode", asked.volumeMode, before.volumeMode),
  ];
}

/** The next spec with its mutable fields set back: the volume name once, size and attributes once bound. */
function fixedPart(next: Spec, current: Spec, isBound: boolean): Spec {
  const { volumeName, volumeAttributesClassName, ...rest } = next;
  const bound = (current.volumeName ?? "") === "" ? {} : { volumeName };
  if (!isBound) return trimmed({ ...rest, ...bound, volumeAttributesClassName });
  const before = current.resources?.requests?.["storage"];
  const requests = { ...next.resources?.requests, ...(before === undefined ? {} : { storage: before }) };
  const resources = next.resources?.requests === undefined ? next.resources : { ...next.resources, requests };
  const { volumeAttributesClassName: kept } = current;
  return trimmed({ ...rest, ...bound, resources, volumeAttributesClassName: kept });
}

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

function trimmed(spec: Loose<Spec>): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as Spec;
}

export const persistentVolumeClaimStrategy = defineStrategy<Claim>({
  resource: PERSISTENT_VOLUME_CLAIMS,
  shortNames: ["pvc"],
  answersDeleteWithObject: true,
  prepareCreate: (sent) => ({ ...sent, spec: withDefaults(sent.spec ?? {}), status: { phase: "Pending" } }),
  validateCreate: ({ spec = {} }) => specErrors(spec),
  prepareUpdate: (sent, current) => ({ ...sent, spec: withDefaults(sent.spec ?? {}), status: current.status ?? {} }),
  validateUpdate: (next, current) => [...specErrors(next.spec ?? {}), ...changeErrors(next, current)],
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({ ...sent, spec: current.spec ?? {}, status: sent.status ?? {} }),
      validateUpdate: () => [],
    },
  ],
  table: {
    columns: [
      NAME_COLUMN,
      column("Status"),
      column("Volume"),
      column("Capacity"),
      column("Access Modes"),
      column("StorageClass"),
      column("VolumeAttributesClass"),
      column("Age"),
      column("VolumeMode", 1),
    ],
    cells: (claim, nowMs) => {
      const { spec = {}, status = {}, metadata } = claim;
      const { volumeName = "" } = spec;
      return [
        nameOf(claim),
        metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
        volumeName,
        volumeName === "" ? "" : (status.capacity?.["storage"] ?? "0"),
        volumeName === "" ? "" : accessModesCell(status.accessModes ?? []),
        spec.storageClassName ?? "",
        spec.volumeAttributesClassName ?? "<unset>",
        ageCell(claim, nowMs),
        spec.volumeMode ?? "<unset>",
      ];
    },
  },
});
