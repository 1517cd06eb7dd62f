// Nodes: a node writes its own object. What tells the cluster how far to trust it (taints, owners, the labels of labels.ts)
// it may say of itself when it registers, as far as that is free, and not change afterwards.

import type { Node } from "../../../../api/core/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { changedLabels, forbiddenLabels } from "./labels.ts";
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
