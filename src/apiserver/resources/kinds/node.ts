// Node. The main endpoint keeps the status, /status keeps the spec; both take metadata.

import type { Node } from "../../../api/core/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import { isSameJson } from "../../../kernel/json/index.ts";
import { parseIpAddress } from "../../../kernel/x509/index.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  isRepeated,
  notSupported,
  required,
} from "../field-error.ts";
import { labelValue, qualifiedKey } from "../names.ts";
import { defineStrategy, SUBRESOURCE_VERBS } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, type TableLayout } from "../table.ts";

type Spec = NonNullable<Node["spec"]>;
type Status = NonNullable<Node["status"]>;

interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

const NOT_READY: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const EFFECTS: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintsOf(spec: Spec): readonly Taint[] {
  return (spec.taints ?? []) as readonly Taint[];
}

/** As the admission plugin TaintNodesByCondition: a new node takes no pods until it is ready. */
function withNotReadyTaint(spec: Spec): Spec {
  const taints = taintsOf(spec);
  const hasIt = taints.some((taint) => taint.key === NOT_READY.key && taint.effect === NOT_READY.effect);
  return hasIt ? spec : { ...spec, taints: [...taints, NOT_READY] };
}

/** podCIDR always equals the first of podCIDRs. */
function withRanges(spec: Spec): Spec {
  const { podCIDR = "", podCIDRs = [], ...rest } = spec;
  if (podCIDR === "" && podCIDRs.length === 0) return rest;
  const all = podCIDR === "" || podCIDR === podCIDRs[0] ? podCIDRs : [podCIDR];
  return { ...rest, podCIDR: all[0] ?? "", podCIDRs: all };
}

/** Empty until the kubelet reports, but always present: clients read them without checking. */
const NO_INFO: Readonly<Record<string, string>> = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  containerRuntimeVersion: "",
  kubeletVersion: "",
  kubeProxyVersion: "",
  operatingSystem: "",
  architecture: "",
};

function withStatusDefaults(status: Status): Status {
  const allocatable = status.allocatable ?? status.capacity;
  return {
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    ...status,
    ...(allocatable === undefined ? {} : { allocatable }),
    nodeInfo: { ...NO_INFO, ...status.nodeInfo },
  };
}

function nodeErrors({ spec = {} }: Node): readonly FieldError[] {
  return [...taintErrors(taintsOf(spec)), ...rangeErrors(spec.podCIDRs ?? [])];
}

const byKeyAndEffect = ({ key = "", effect = "" }: Taint) => `${key} ${effect}`;
const byText = ({ type, address }: { readonly type?: string; readonly address?: string }) => `${type} ${address}`;

/** Kubernetes reports this path, below metadata, for taints. */
function taintErrors(taints: readonly Taint[]): readonly FieldError[] {
  return taints.flatMap((taint, at) => {
    const { key = "", value = "", effect = "", timeAdded = null } = taint;
    const field = `metadata.taints[${at}]`;
    const isSecond = isRepeated(taints, at, byKeyAndEffect);
    const shown = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded };
    return [
      ...qualifiedKey(key).map((text) => invalid(`${field}.key`, key, text)),
      ...labelValue(value).map((text) => invalid(`${field}.value`, value, text)),
      ...(effect === "" ? [required(`${field}.effect`)] : []),
      ...(effect === "" || EFFECTS.includes(effect) ? [] : [notSupported(`${field}.effect`, effect, EFFECTS)]),
      ...(isSecond ? [{ ...duplicate(field, shown), detail: "taints must be unique by key and effect pair" }] : []),
    ];
  });
}

function rangeErrors(ranges: readonly string[]): readonly FieldError[] {
  const field = "spec.podCIDRs";
  const families = new Set(ranges.map((range) => range.includes(":")));
  return [
    ...ranges.flatMap((range, at) =>
      isRange(range)
        ? []
        : [invalid(`${field}[${at}]`, range, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")],
    ),
    ...(ranges.length > families.size
      ? [invalid(field, ranges, "may specify no more than one CIDR for each IP family")]
      : []),
  ];
}

function isRange(text: string): boolean {
  const [ip = "", bits = "", more] = text.split("/");
  const octets = parseIpAddress(ip);
  return octets !== undefined && more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= octets.length * 8;
}

/** The provider ID and the pod ranges of a node are immutable once set. */
function changeErrors(next: Node, current: Node): readonly FieldError[] {
  const [after, before] = [next.spec ?? {}, current.spec ?? {}];
  const { providerID = "", podCIDRs = [] } = before;
  return [
    ...(podCIDRs.length === 0 || isSameJson(after.podCIDRs ?? [], podCIDRs)
      ? []
      : [forbiddenField("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')]),
    ...(providerID === "" || (after.providerID ?? "") === providerID
      ? []
      : [forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid')]),
    ...taintErrors(taintsOf(after)),
  ];
}

function addressErrors({ status = {} }: Node): readonly FieldError[] {
  const { addresses = [] } = status;
  return addresses.flatMap((address, at) =>
    isRepeated(addresses, at, byText) ? [duplicate(`status.addresses[${at}]`, address)] : [],
  );
}

const ROLE_LABEL_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";

/** `kubectl get nodes`. */
const NODE_TABLE: TableLayout<Node> = {
  columns: [
    NAME_COLUMN,
    column("Status"),
    column("Roles"),
    column("Age"),
    column("Version"),
    column("Internal-IP", 1),
    column("External-IP", 1),
    column("OS-Image", 1),
    column("Kernel-Version", 1),
    column("Container-Runtime", 1),
  ],
  cells: (node, nowMs) => [
    nameOf(node),
    statusCell(node),
    rolesCell(node),
    ageCell(node, nowMs),
    info(node, "kubeletVersion", ""),
    addressCell(node, "InternalIP"),
    addressCell(node, "ExternalIP"),
    info(node, "osImage", "<unknown>"),
    kernelCell(node),
    info(node, "containerRuntimeVersion", "<unknown>"),
  ],
};

function statusCell(node: Node): string {
  const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return node.spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function rolesCell(node: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    const role =
      key === ROLE_LABEL ? value : key.startsWith(ROLE_LABEL_PREFIX) ? key.slice(ROLE_LABEL_PREFIX.length) : "";
    if (role !== "") roles.add(role);
  }
  return roles.size === 0 ? "<none>" : [...roles].sort().join(",");
}

function addressCell(node: Node, type: string): string {
  return node.status?.addresses?.find((address) => address.type === type)?.address ?? "<none>";
}

function info(node: Node, field: string, absent: string): string {
  const value = node.status?.nodeInfo?.[field];
  return typeof value === "string" && value !== "" ? value : absent;
}

function kernelCell(node: Node): string {
  const kernel = info(node, "kernelVersion", "<unknown>");
  const architecture = info(node, "architecture", "");
  return architecture === "" ? kernel : `${kernel} (${architecture})`;
}

export const nodeStrategy = defineStrategy<Node>({
  resource: NODES,
  shortNames: ["no"],
  prepareCreate: (sent) => ({
    ...sent,
    spec: withNotReadyTaint(withRanges(sent.spec ?? {})),
    status: withStatusDefaults(sent.status ?? {}),
  }),
  validateCreate: nodeErrors,
  prepareUpdate: (sent, current) => ({ ...sent, spec: withRanges(sent.spec ?? {}), status: current.status ?? {} }),
  validateUpdate: changeErrors,
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({
        ...sent,
        spec: current.spec ?? {},
        status: withStatusDefaults(sent.status ?? {}),
      }),
      validateUpdate: addressErrors,
    },
  ],
  selectableFields: (node) => ({ "spec.unschedulable": String(node.spec?.unschedulable === true) }),
  table: NODE_TABLE,
});
