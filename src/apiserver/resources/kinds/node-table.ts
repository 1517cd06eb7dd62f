// `kubectl get nodes`.

import type { Node } from "../../../api/core/index.ts";
import { ageCell, column, NAME_COLUMN, nameOf, type TableLayout } from "../table.ts";

const ROLE_LABEL_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";

export const NODE_TABLE: TableLayout<Node> = {
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
