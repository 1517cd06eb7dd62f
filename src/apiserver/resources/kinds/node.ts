// Node: what a machine says about itself. The main endpoint keeps the status, /status keeps the spec; both take metadata.

import type { Node } from "../../../api/core/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import { type FieldError, forbiddenField } from "../field-error.ts";
import { dnsSubdomain } from "../names.ts";
import { META_SHAPE } from "../shape.ts";
import { defineStrategy, SUBRESOURCE_VERBS } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, type TableLayout } from "../table.ts";

const ROLE_LABEL_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";

export const nodeStrategy = defineStrategy<Node>({
  resource: NODES,
  shortNames: ["no"],
  nameRule: dnsSubdomain,
  shape: {
    metadata: META_SHAPE,
    spec: {
      providerID: "string",
      unschedulable: "boolean",
      podCIDR: "string",
      podCIDRs: ["string"],
      taints: [{ key: "string", value: "string", effect: "string", timeAdded: "time" }],
    },
    status: {
      addresses: [{ type: "string", address: "string" }],
      conditions: [
        {
          type: "string",
          status: "string",
          reason: "string",
          message: "string",
          lastHeartbeatTime: "time",
          lastTransitionTime: "time",
        },
      ],
      nodeInfo: { "*": "any" },
    },
  },
  prepareCreate: (sent) => ({ ...sent, spec: withNotReadyTaint(sent.spec ?? {}), status: sent.status ?? {} }),
  prepareUpdate: (sent, current) => ({ ...sent, spec: sent.spec ?? {}, status: current.status ?? {} }),
  validateUpdate: specChangeErrors,
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({ ...sent, spec: current.spec ?? {}, status: sent.status ?? {} }),
      validateUpdate: () => [],
    },
  ],
  selectableFields: (node) => ({ "spec.unschedulable": String(node.spec?.unschedulable === true) }),
  table: nodeTable(),
});

interface Taint {
  readonly key?: string;
  readonly effect?: string;
}

const NOT_READY: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** What the admission plugin TaintNodesByCondition does in Kubernetes: a new node takes no pods until it proves ready. */
function withNotReadyTaint(spec: NonNullable<Node["spec"]>): NonNullable<Node["spec"]> {
  const taints = (spec.taints ?? []) as readonly Taint[];
  const hasIt = taints.some((taint) => taint.key === NOT_READY.key && taint.effect === NOT_READY.effect);
  return hasIt ? spec : { ...spec, taints: [...taints, NOT_READY] };
}

/** A node keeps the machine it was registered for. */
function specChangeErrors(next: Node, current: Node): readonly FieldError[] {
  const before = current.spec?.providerID ?? "";
  if (before === "" || (next.spec?.providerID ?? "") === before) return [];
  return [forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid')];
}

function nodeTable(): TableLayout<Node> {
  return {
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
}

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
  return architecture === "" || kernel === "<unknown>" ? kernel : `${kernel} (${architecture})`;
}
