// How a volume may be mounted: what PersistentVolume and PersistentVolumeClaim share.

import { type FieldError, forbiddenField, notSupported, required } from "../../field-error.ts";

const FIELD = "spec.accessModes";
const ONE_POD = "ReadWriteOncePod";
const ACCESS_MODES: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", ONE_POD];
const SHORT: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  [ONE_POD]: "RWOP",
};

export const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];

export function accessModeErrors(modes: readonly string[], whenEmpty: string): readonly FieldError[] {
  const hasOthers = modes.some((mode) => mode !== ONE_POD && ACCESS_MODES.includes(mode));
  return [
    ...(modes.length === 0 ? [required(FIELD, whenEmpty)] : []),
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(FIELD, mode, ACCESS_MODES)),
    ...(hasOthers && modes.includes(ONE_POD)
      ? [forbiddenField(FIELD, `may not use ${ONE_POD} with other access modes`)]
      : []),
  ];
}

/** `RWO,ROX`: in a fixed order, whatever the order they were given in. */
export function accessModesCell(modes: readonly string[]): string {
  return Object.entries(SHORT)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
