// VolumeAttachment: a volume is to be attached to a node. StorageClass: how volumes of a class are provisioned.

import type { StorageClass, VolumeAttachment } from "../../../../api/core/index.ts";
import { STORAGE_CLASSES, VOLUME_ATTACHMENTS } from "../../../../api/meta/index.ts";
import { type FieldError, forbiddenField, immutableField, invalid, notSupported, required } from "../../field-error.ts";
import { dnsSubdomain, qualifiedKey } from "../../names.ts";
import { defineStrategy, SUBRESOURCE_VERBS } from "../../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, typedColumn } from "../../table.ts";
import { driverNameErrors } from "./csi.ts";

const ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

function attachmentErrors({ spec = {} }: VolumeAttachment): readonly FieldError[] {
  const { attacher = "", nodeName = "", source = {} } = spec;
  return [
    ...driverNameErrors(attacher, "spec.attacher"),
    ...sourceErrors(source),
    ...dnsSubdomain(nodeName).map((text) => invalid("spec.nodeName", nodeName, text)),
  ];
}

function sourceErrors(source: NonNullable<NonNullable<VolumeAttachment["spec"]>["source"]>): readonly FieldError[] {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  if (name === undefined) return inline === undefined ? [required("spec.source", ONE_SOURCE)] : [];
  if (inline !== undefined) return [forbiddenField("spec.source", ONE_SOURCE)];
  if (name === "") return [required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")];
  return dnsSubdomain(name).map((text) => invalid("spec.source.persistentVolumeName", name, text));
}

export const volumeAttachmentStrategy = defineStrategy<VolumeAttachment>({
  resource: VOLUME_ATTACHMENTS,
  updatesUnconditionally: false,
  answersDeleteWithObject: true,
  prepareCreate: (sent) => ({ ...sent, status: { attached: false } }),
  prepareUpdate: (sent, current) => ({ ...sent, status: current.status ?? { attached: false } }),
  validateCreate: attachmentErrors,
  validateUpdate: (next, current) => [
    ...attachmentErrors(next),
    ...immutableField("spec", next.spec ?? {}, current.spec ?? {}),
  ],
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({
        ...sent,
        spec: current.spec ?? {},
        status: { ...sent.status, attached: sent.status?.attached ?? false },
      }),
      validateUpdate: () => [],
    },
  ],
  table: {
    columns: [
      NAME_COLUMN,
      { ...column("Attacher"), format: "name" },
      column("PV"),
      column("Node"),
      typedColumn("Attached", "boolean"),
      column("Age"),
    ],
    cells: (attachment, nowMs) => [
      nameOf(attachment),
      attachment.spec?.attacher ?? "",
      attachment.spec?.source?.persistentVolumeName ?? "",
      attachment.spec?.nodeName ?? "",
      attachment.status?.attached === true,
      ageCell(attachment, nowMs),
    ],
  },
});

const RECLAIM_POLICIES: readonly string[] = ["Delete", "Retain"];
const BINDING_MODES: readonly string[] = ["Immediate", "WaitForFirstConsumer"];
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

function classErrors(next: StorageClass): readonly FieldError[] {
  const { provisioner = "", reclaimPolicy = "", volumeBindingMode = "" } = next;
  return [
    ...(provisioner === ""
      ? [required("provisioner")]
      : qualifiedKey(provisioner.toLowerCase()).map((text) => invalid("provisioner", provisioner, text))),
    ...(reclaimPolicy === "" || RECLAIM_POLICIES.includes(reclaimPolicy)
      ? []
      : [notSupported("reclaimPolicy", reclaimPolicy, RECLAIM_POLICIES)]),
    ...(BINDING_MODES.includes(volumeBindingMode)
      ? []
      : [notSupported("volumeBindingMode", volumeBindingMode, BINDING_MODES)]),
  ];
}

function classDefaults(sent: StorageClass): StorageClass {
  return {
    ...sent,
    provisioner: sent.provisioner ?? "",
    reclaimPolicy: sent.reclaimPolicy ?? "Delete",
    volumeBindingMode: sent.volumeBindingMode ?? "Immediate",
  };
}

export const storageClassStrategy = defineStrategy<StorageClass>({
  resource: STORAGE_CLASSES,
  shortNames: ["sc"],
  answersDeleteWithObject: true,
  prepareCreate: classDefaults,
  prepareUpdate: classDefaults,
  validateCreate: classErrors,
  validateUpdate: (next, current) => [
    ...immutableField("parameters", next.parameters, current.parameters),
    ...immutableField("provisioner", next.provisioner, current.provisioner),
    ...immutableField("reclaimPolicy", next.reclaimPolicy, current.reclaimPolicy),
    ...immutableField("volumeBindingMode", next.volumeBindingMode, current.volumeBindingMode),
  ],
  table: {
    columns: [
      NAME_COLUMN,
      column("Provisioner"),
      column("ReclaimPolicy"),
      column("VolumeBindingMode"),
      column("AllowVolumeExpansion"),
      column("Age"),
    ],
    cells: (storage, nowMs) => [
      storage.metadata.annotations?.[DEFAULT_CLASS] === "true" ? `${nameOf(storage)} (default)` : nameOf(storage),
      storage.provisioner ?? "",
      storage.reclaimPolicy ?? "Delete",
      storage.volumeBindingMode ?? "Immediate",
      storage.allowVolumeExpansion === true,
      ageCell(storage, nowMs),
    ],
  },
});
