// Claims and their storage class: a claim that names none gets the cluster's default (plugin DefaultStorageClass), and
// only a bound claim of a class that allows it may grow (plugin PersistentVolumeClaimResize). differs from upstream: no
// protection finalizers are put on volumes and claims (plugin StorageObjectInUseProtection). The controllers that
// remove them do not run here, and nothing could ever be deleted.

import type { PersistentVolumeClaim, StorageClass } from "../../api/core/index.ts";
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from "../../api/meta/index.ts";
import type { Attempt } from "../call.ts";
import { parseQuantity } from "../resources/quantity.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

type Claim = PersistentVolumeClaim;

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

function isClaim({ resource, subresource }: Attempt): boolean {
  return resource === PERSISTENT_VOLUME_CLAIMS && subresource === "";
}

export const defaultStorageClass: Plugin = {
  name: "DefaultStorageClass",
  phase: "before",
  change: (attempt, questions) => {
    if (!isClaim(attempt) || attempt.operation !== "CREATE") return undefined;
    const claim = attempt.object as Claim;
    if (claim.spec?.storageClassName !== undefined) return undefined;
    const name = defaultClassName(questions);
    return name === undefined ? undefined : { ...claim, spec: { ...claim.spec, storageClassName: name } };
  },
  judge: () => undefined,
};

/** The newest of those that are marked; of equally new ones the first by name. */
function defaultClassName(questions: Questions): string | undefined {
  const [newest] = (questions.list(STORAGE_CLASSES) as readonly StorageClass[])
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true")
    .sort((one, other) => bornMs(other) - bornMs(one));
  return newest?.metadata.name;
}

function bornMs({ metadata }: StorageClass): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

const RESIZE = "PersistentVolumeClaimResize";

export const claimResize: Plugin = {
  name: RESIZE,
  phase: "after",
  judge: (attempt, questions) => {
    if (!isClaim(attempt) || attempt.operation !== "UPDATE") return undefined;
    const text = resizeProblem(attempt.object as Claim, attempt.current as Claim, questions);
    return text === undefined ? undefined : refuse(RESIZE, "NotResizable", text);
  },
};

function resizeProblem(next: Claim, current: Claim, questions: Questions): string | undefined {
  if (sizeOf(next) <= sizeOf(current)) return undefined;
  if (current.status?.phase !== "Bound") return "Only bound persistent volume claims can be expanded";
  const { storageClassName = "" } = next.spec ?? {};
  const found = storageClassName === "" ? undefined : questions.get(STORAGE_CLASSES, storageClassName);
  if ((found as StorageClass | undefined)?.allowVolumeExpansion === true) return undefined;
  const must = "the storageclass that provisions the pvc must support resize";
  return `only dynamically provisioned pvc can be resized and ${must}`;
}

function sizeOf({ spec }: Claim): bigint {
  return parseQuantity(spec?.resources?.requests?.["storage"] ?? "")?.nanos ?? 0n;
}
