// CSINode and CSIDriver: which storage drivers there are, and on which node. The kubelet writes its own CSINode.

import type { CsiDriver, CsiNode, CsiNodeDriver } from "../../../../api/core/index.ts";
import { CSI_DRIVERS, CSI_NODES } from "../../../../api/meta/index.ts";
import {
  duplicate,
  type FieldError,
  immutableField,
  invalid,
  isRepeated,
  notSupported,
  required,
  tooLong,
} from "../../field-error.ts";
import { countedGeneration } from "../../metadata.ts";
import { dnsSubdomain, qualifiedKey } from "../../names.ts";
import { defineStrategy } from "../../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, typedColumn } from "../../table.ts";

const MAX_DRIVER_NAME = 63;
const MAX_NODE_ID = 192;

/** The name of a driver is a DNS subdomain; upper case is accepted. */
export function driverNameErrors(name: string, field: string): readonly FieldError[] {
  if (name === "") return [required(field)];
  return [
    ...(name.length > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
    ...dnsSubdomain(name.toLowerCase()).map((text) => invalid(field, name, text)),
  ];
}

const byName = ({ name = "" }: { readonly name?: string }) => name;
const byAudience = ({ audience = "" }: { readonly audience?: string }) => audience;

function nodeErrors({ spec = {} }: CsiNode): readonly FieldError[] {
  const drivers = spec.drivers ?? [];
  return drivers.flatMap((driver, at) => {
    return nodeDriverErrors(driver, `spec.drivers[${at}]`, isRepeated(drivers, at, byName));
  });
}

function nodeDriverErrors(driver: CsiNodeDriver, field: string, isRepeated: boolean): readonly FieldError[] {
  const { name = "", nodeID = "", topologyKeys, allocatable } = driver;
  const { count = 0 } = allocatable ?? {};
  return [
    ...driverNameErrors(name, `${field}.name`),
    ...(nodeID === "" ? [required(`${field}.nodeID`)] : []),
    ...(nodeID.length > MAX_NODE_ID
      ? [invalid(`${field}.nodeID`, nodeID, `must be ${MAX_NODE_ID} characters or less`)]
      : []),
    ...(count < 0 ? [invalid(`${field}.allocatable.count`, count, "must be greater than or equal to 0")] : []),
    ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
    ...(topologyKeys ?? []).flatMap((key) => qualifiedKey(key).map((text) => invalid(field, key, text))),
  ];
}

/** Drivers may be added and removed, but not changed, except for the number of volumes. */
function driverChangeErrors(next: CsiNode, current: CsiNode): readonly FieldError[] {
  return (current.spec?.drivers ?? []).flatMap((before) => {
    const after = next.spec?.drivers?.find((driver) => driver.name === before.name);
    return after === undefined ? [] : immutableField("spec.drivers", uncounted(after), uncounted(before));
  });
}

function uncounted({ allocatable: _count, ...driver }: CsiNodeDriver): CsiNodeDriver {
  return driver;
}

/** A node without drivers has `null`, as Go writes an unset list. */
function withDrivers(sent: CsiNode): CsiNode {
  const drivers = (sent.spec?.drivers ?? []).map((driver) => ({
    ...driver,
    topologyKeys: driver.topologyKeys ?? null,
  }));
  return { ...sent, spec: { drivers: drivers.length === 0 ? null : drivers } };
}

export const csiNodeStrategy = defineStrategy<CsiNode>({
  resource: CSI_NODES,
  updatesUnconditionally: false,
  answersDeleteWithObject: true,
  prepareCreate: withDrivers,
  prepareUpdate: withDrivers,
  validateCreate: nodeErrors,
  validateUpdate: (next, current) => [...nodeErrors(next), ...driverChangeErrors(next, current)],
  table: {
    columns: [NAME_COLUMN, typedColumn("Drivers", "integer"), column("Age")],
    cells: (node, nowMs) => [nameOf(node), node.spec?.drivers?.length ?? 0, ageCell(node, nowMs)],
  },
});

const FS_GROUP_POLICIES: readonly string[] = ["ReadWriteOnceWithFSType", "File", "None"];
const LIFECYCLE_MODES: readonly string[] = ["Persistent", "Ephemeral"];

function driverDefaults(sent: CsiDriver): CsiDriver {
  const modes = sent.spec?.volumeLifecycleModes ?? [];
  return {
    ...sent,
    spec: {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
      seLinuxMount: false,
      ...sent.spec,
      volumeLifecycleModes: modes.length === 0 ? ["Persistent"] : modes,
    },
  };
}

function driverErrors({ spec = {} }: CsiDriver): readonly FieldError[] {
  const { fsGroupPolicy = "", volumeLifecycleModes = [], tokenRequests = [] } = spec;
  return [
    ...(FS_GROUP_POLICIES.includes(fsGroupPolicy)
      ? []
      : [notSupported("spec.fsGroupPolicy", fsGroupPolicy, FS_GROUP_POLICIES)]),
    ...tokenRequests.flatMap(({ audience = "" }, at) =>
      isRepeated(tokenRequests, at, byAudience) ? [duplicate(`spec.tokenRequests[${at}].audience`, audience)] : [],
    ),
    ...volumeLifecycleModes
      .filter((mode) => !LIFECYCLE_MODES.includes(mode))
      .map((mode) => notSupported("spec.volumeLifecycleModes", mode, LIFECYCLE_MODES)),
  ];
}

export const csiDriverStrategy = defineStrategy<CsiDriver>({
  resource: CSI_DRIVERS,
  updatesUnconditionally: false,
  answersDeleteWithObject: true,
  prepareCreate: driverDefaults,
  prepareUpdate: (sent, current) => countedGeneration(driverDefaults(sent), current, ({ spec }) => spec),
  validateCreate: driverErrors,
  validateUpdate: (next, current) => [
    ...driverErrors(next),
    // Misspelt in Kubernetes too.
    ...immutableField("spec.attachedRequired", next.spec?.attachRequired, current.spec?.attachRequired),
    ...immutableField("spec.volumeLifecycleModes", next.spec?.volumeLifecycleModes, current.spec?.volumeLifecycleModes),
  ],
  table: {
    columns: [
      NAME_COLUMN,
      typedColumn("AttachRequired", "boolean"),
      typedColumn("PodInfoOnMount", "boolean"),
      typedColumn("StorageCapacity", "boolean"),
      column("TokenRequests"),
      typedColumn("RequiresRepublish", "boolean"),
      column("Modes"),
      column("Age"),
    ],
    cells: (driver, nowMs) => {
      const { spec = {} } = driver;
      return [
        nameOf(driver),
        spec.attachRequired ?? true,
        spec.podInfoOnMount ?? false,
        spec.storageCapacity ?? false,
        spec.tokenRequests?.map(({ audience = "" }) => audience).join(",") ?? "<unset>",
        spec.requiresRepublish ?? false,
        spec.volumeLifecycleModes?.join(",") || "<none>",
        ageCell(driver, nowMs),
      ];
    },
  },
});
