// ResourceSlice: the devices of a node, written by its kubelet. ResourceClaim: a request for devices.

import type { DeviceRequest, ResourceClaim, ResourceSlice } from "../../../api/core/index.ts";
import { RESOURCE_CLAIMS, RESOURCE_SLICES } from "../../../api/meta/index.ts";
import { type FieldError, immutableField, invalid, required, tooLong, tooMany } from "../field-error.ts";
import { countedGeneration, firstGeneration } from "../metadata.ts";
import { dnsLabel, dnsSubdomain } from "../names.ts";
import { defineStrategy, SUBRESOURCE_VERBS } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../table.ts";

type SliceSpec = NonNullable<ResourceSlice["spec"]>;

const MAX_DRIVER_NAME = 63;
const MAX_POOL_NAME = 253;
const MAX_DEVICES = 128;
const MAX_REQUESTS = 32;
/** These say which nodes reach the devices; exactly one is set. */
const REACH = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
const REACH_TEXT = `exactly one of ${REACH.map((field) => `\`${field}\``).join(", ")} is required`;

function sliceErrors({ spec = {} }: ResourceSlice): readonly FieldError[] {
  const { devices = [] } = spec;
  return [
    ...driverErrors(spec.driver ?? ""),
    ...poolErrors(spec.pool ?? {}),
    ...reachErrors(spec),
    ...(devices.length > MAX_DEVICES ? [tooMany("spec.devices", devices.length, MAX_DEVICES)] : []),
    ...devices.flatMap(({ name = "" }, at) => nameErrors(name, `spec.devices[${at}].name`)),
  ];
}

function nameErrors(name: string, field: string): readonly FieldError[] {
  return name === "" ? [required(field)] : dnsLabel(name).map((text) => invalid(field, name, text));
}

function driverErrors(driver: string): readonly FieldError[] {
  const field = "spec.driver";
  if (driver === "") return [required(field)];
  return [
    ...(driver.length > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
    ...dnsSubdomain(driver.toLowerCase()).map((text) => invalid(field, driver, text)),
  ];
}

function poolErrors(pool: NonNullable<SliceSpec["pool"]>): readonly FieldError[] {
  const { name = "", resourceSliceCount = 0, generation = 0 } = pool;
  const field = "spec.pool";
  return [
    ...(name === ""
      ? [required(`${field}.name`)]
      : name.split("/").flatMap((part) => dnsSubdomain(part).map((text) => invalid(`${field}.name`, part, text)))),
    ...(name.length > MAX_POOL_NAME ? [tooLong(`${field}.name`, MAX_POOL_NAME)] : []),
    ...(resourceSliceCount > 0
      ? []
      : [invalid(`${field}.resourceSliceCount`, resourceSliceCount, "must be greater than zero")]),
    ...(generation >= 0 ? [] : [invalid(`${field}.generation`, generation, "must be greater than or equal to zero")]),
  ];
}

function reachErrors(spec: SliceSpec): readonly FieldError[] {
  const set = REACH.filter((field) => spec[field] !== undefined && spec[field] !== false && spec[field] !== "");
  const shown = `{${set.map((field) => `\`${field}\``).join(", ")}}`;
  const { nodeName = "" } = spec;
  return [
    ...(nodeName === "" ? [] : dnsSubdomain(nodeName).map((text) => invalid("spec.nodeName", nodeName, text))),
    ...(set.length === 0 ? [required("spec", REACH_TEXT)] : []),
    ...(set.length > 1 ? [invalid("spec", shown, `${REACH_TEXT}, but multiple fields are set`)] : []),
  ];
}

export const resourceSliceStrategy = defineStrategy<ResourceSlice>({
  resource: RESOURCE_SLICES,
  answersDeleteWithObject: true,
  prepareCreate: (sent) => firstGeneration(sent),
  prepareUpdate: (sent, current) => countedGeneration(sent, current, ({ spec }) => spec),
  validateCreate: sliceErrors,
  validateUpdate: (next, current) => [
    ...sliceErrors(next),
    ...immutableField("spec.pool.name", next.spec?.pool?.name, current.spec?.pool?.name),
    ...immutableField("spec.driver", next.spec?.driver, current.spec?.driver),
    ...immutableField("spec.nodeName", next.spec?.nodeName, current.spec?.nodeName),
  ],
  selectableFields: ({ spec = {} }) => ({ "spec.nodeName": spec.nodeName ?? "", "spec.driver": spec.driver ?? "" }),
  table: {
    columns: [NAME_COLUMN, column("Node"), column("Driver"), column("Pool"), column("Age")],
    cells: (slice, nowMs) => [
      nameOf(slice),
      slice.spec?.nodeName ?? "",
      slice.spec?.driver ?? "",
      slice.spec?.pool?.name ?? "",
      ageCell(slice, nowMs),
    ],
  },
});

function withRequestDefaults(claim: ResourceClaim): ResourceClaim {
  const { spec = {} } = claim;
  const { devices = {} } = spec;
  const requests = devices.requests?.map(requestDefaults);
  return { ...claim, spec: { ...spec, devices: { ...devices, ...(requests === undefined ? {} : { requests }) } } };
}

function requestDefaults(request: DeviceRequest): DeviceRequest {
  const { exactly } = request;
  if (exactly === undefined) return request;
  const allocationMode = exactly.allocationMode || "ExactCount";
  const count = allocationMode === "ExactCount" && (exactly.count ?? 0) === 0 ? { count: 1 } : {};
  return { ...request, exactly: { ...exactly, allocationMode, ...count } };
}

function claimErrors({ spec }: ResourceClaim): readonly FieldError[] {
  const field = "spec.devices.requests";
  const requests = spec?.devices?.requests ?? [];
  return [
    ...(requests.length > MAX_REQUESTS ? [tooMany(field, requests.length, MAX_REQUESTS)] : []),
    ...requests.flatMap((request, at) => requestErrors(request, `${field}[${at}]`)),
  ];
}

function requestErrors(request: DeviceRequest, field: string): readonly FieldError[] {
  const { name = "", exactly, firstAvailable = [] } = request;
  const isNeither = exactly === undefined && firstAvailable.length === 0;
  const className = exactly?.deviceClassName ?? "";
  return [
    ...nameErrors(name, `${field}.name`),
    ...(isNeither ? [required(field, "exactly one of `exactly` or `firstAvailable` is required")] : []),
    ...(exactly === undefined
      ? []
      : className === ""
        ? [required(`${field}.exactly.deviceClassName`)]
        : dnsSubdomain(className).map((text) => invalid(`${field}.exactly.deviceClassName`, className, text))),
  ];
}

function stateCell({ metadata, status = {} }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isReserved = (status.reservedFor ?? []).length > 0;
  const state =
    status.allocation === undefined
      ? isDeleted
        ? []
        : ["pending"]
      : ["allocated", ...(isReserved ? ["reserved"] : [])];
  return [...(isDeleted ? ["deleted"] : []), ...state].join(",");
}

export const resourceClaimStrategy = defineStrategy<ResourceClaim>({
  resource: RESOURCE_CLAIMS,
  answersDeleteWithObject: true,
  prepareCreate: (sent) => ({ ...withRequestDefaults(sent), status: {} }),
  prepareUpdate: (sent, current) => ({ ...withRequestDefaults(sent), status: current.status ?? {} }),
  validateCreate: claimErrors,
  validateUpdate: (next, current) => immutableField("spec", next.spec, current.spec),
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({
        ...sent,
        metadata: {
          ...current.metadata,
          ...(sent.metadata.finalizers === undefined ? {} : { finalizers: sent.metadata.finalizers }),
        },
        spec: current.spec ?? {},
        status: sent.status ?? {},
      }),
      validateUpdate: () => [],
    },
  ],
  table: {
    columns: [NAME_COLUMN, column("State"), column("Age")],
    cells: (claim, nowMs) => [nameOf(claim), stateCell(claim), ageCell(claim, nowMs)],
  },
});
