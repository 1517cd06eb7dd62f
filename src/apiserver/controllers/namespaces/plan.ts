// The progress of a namespace's deletion as its conditions. Names, reasons and messages of
// kubernetes/pkg/controller/namespace/deletion/status_condition_utils.go: kubectl describe and people look for them.
// Pure.

import type { Namespace } from "../../../api/core/index.ts";
import { type KubeObject, qualifiedName, type Resource } from "../../../api/meta/index.ts";
import { formatTime } from "../../resources/metadata.ts";

export const FINALIZER = "kubernetes";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface GoingNamespace extends Namespace {
  spec?: { readonly finalizers?: readonly string[] };
  status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

/** One kind and what is left of it. */
export interface Left {
  readonly resource: Resource;
  readonly objects: readonly KubeObject[];
}

/** The namespace without the finalizer that stands for its content. */
export function withoutFinalizer(namespace: GoingNamespace): GoingNamespace {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== FINALIZER);
  return { ...namespace, spec: { ...namespace.spec, finalizers } };
}

/** Undefined when the conditions are up to date. */
export function planStatus(
  namespace: GoingNamespace,
  left: readonly Left[],
  nowMs: number,
): GoingNamespace | undefined {
  const now = formatTime(nowMs);
  const before = new Map((namespace.status?.conditions ?? []).map((one) => [one.type, one]));
  const wanted = [...HEALTHY, contentCondition(left), finalizerCondition(left)];
  const isSaid = wanted.every(({ type, status, message }) => {
    const said = before.get(type);
    return said?.status === status && said.message === message;
  });
  if (isSaid && namespace.status?.phase === "Terminating") return undefined;
  const conditions = wanted.map((one) => {
    const said = before.get(one.type);
    return { ...one, lastTransitionTime: said?.status === one.status ? said.lastTransitionTime : now };
  });
  return { ...namespace, status: { ...namespace.status, phase: "Terminating", conditions } };
}

type Told = Omit<Condition, "lastTransitionTime">;

/** These three cannot fail here: discovery and deletion are in one process. */
const HEALTHY: readonly Told[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    status: "False",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    status: "False",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  {
    type: "NamespaceDeletionContentFailure",
    status: "False",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
];

function contentCondition(left: readonly Left[]): Told {
  const type = "NamespaceContentRemaining";
  if (left.length === 0) {
    return { type, status: "False", reason: "ContentRemoved", message: "All content successfully removed" };
  }
  const kinds = left.map(
    ({ resource, objects }) => `${qualifiedName(resource)} has ${objects.length} resource instances`,
  );
  const message = `Some resources are remaining: ${kinds.sort().join(", ")}`;
  return { type, status: "True", reason: "SomeResourcesRemain", message };
}

function finalizerCondition(left: readonly Left[]): Told {
  const type = "NamespaceFinalizersRemaining";
  const counts = new Map<string, number>();
  for (const { metadata } of left.flatMap(({ objects }) => objects)) {
    for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  if (counts.size === 0) {
    const message = "All content-preserving finalizers finished";
    return { type, status: "False", reason: "ContentHasNoFinalizers", message };
  }
  const held = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${held.sort().join(", ")}`;
  return { type, status: "True", reason: "SomeFinalizersRemain", message };
}
