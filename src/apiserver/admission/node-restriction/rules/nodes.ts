// Nodes: a node writes its own object. What tells the cluster how far to trust it (taints, owners, restricted labels)
// it may set when it registers, as far as that is allowed, and not change afterwards.

import type { Node } from "../../../../api/core/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { quoted, type WriteRule } from "./rule.ts";

interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

interface RestrictedNode extends Node {
  spec?: Node["spec"] & { readonly configSource?: unknown };
}

export const nodes: WriteRule = ({ operation, name, object, current }, { node }) => {
  const who = `node ${quoted(node)} is not allowed to`;
  if (name !== node) return `${who} modify node ${quoted(name)}`;
  if (operation === "CREATE") return newNodeProblem(object, who);
  return operation === "UPDATE" ? changedNodeProblem(object, current, who) : undefined;
};

function newNodeProblem(next: RestrictedNode | undefined, who: string): string | undefined {
  if (next?.spec?.configSource !== undefined) return `${who} create pods with a non-nil configSource`;
  const labels = forbiddenLabels(Object.keys(next?.metadata.labels ?? {}));
  return labels.length === 0 ? undefined : `${who} set the following labels: ${labels.join(", ")}`;
}

function changedNodeProblem(
  next: RestrictedNode | undefined,
  current: RestrictedNode | undefined,
  who: string,
): string | undefined {
  const source = next?.spec?.configSource;
  if (source !== undefined && !isSameJson(source, current?.spec?.configSource)) {
    return `${who} update configSource to a new non-nil configSource`;
  }
  if (!isSameJson(taintsOf(next), taintsOf(current))) return `${who} modify taints`;
  if (!isSameJson(next?.metadata.ownerReferences ?? [], current?.metadata.ownerReferences ?? [])) {
    return `${who} modify ownerReferences`;
  }
  const labels = forbiddenLabels(changedLabels(next?.metadata.labels ?? {}, current?.metadata.labels ?? {}));
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`;
}

/** An empty value and none are the same taint. */
function taintsOf(node: RestrictedNode | undefined): readonly Taint[] {
  const taints = (node?.spec?.taints ?? []) as readonly Taint[];
  return taints.map(({ key = "", value = "", effect = "", timeAdded = "" }) => ({ key, value, effect, timeAdded }));
}

// Which labels a node may set on itself: its own domain and everything outside Kubernetes' domains; never those by
// which the cluster distinguishes trusted nodes. Behaviour of k8s.io/kubelet/pkg/apis/well_known_labels.go.

const KUBELET_LABELS: readonly string[] = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
];

type Labels = Readonly<Record<string, string>>;

/** Keys that are missing on one side or have another value there. */
function changedLabels(next: Labels, current: Labels): readonly string[] {
  const keys = new Set([...Object.keys(next), ...Object.keys(current)]);
  const read = (labels: Labels, key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return [...keys].filter((key) => read(next, key) !== read(current, key));
}

function forbiddenLabels(keys: readonly string[]): readonly string[] {
  return keys.filter(isForbidden).sort();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (isWithin(domain, "node-restriction.kubernetes.io")) return true;
  if (!isWithin(domain, "kubernetes.io") && !isWithin(domain, "k8s.io")) return false;
  if (KUBELET_LABELS.includes(key)) return false;
  return !isWithin(domain, "kubelet.kubernetes.io") && !isWithin(domain, "node.kubernetes.io");
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
