// What the node authorizer may know: the question, the node that asks, and one thing about the cluster: whether an object
// is related to a node. The edges of that relation are in references/; whoever keeps them answers through Relations.

import type { Attributes } from "../api/access/index.ts";

/** The resources whose objects can be related to a node, by their plural. */
export type RelatedResource =
  | "configmaps"
  | "persistentvolumeclaims"
  | "persistentvolumes"
  | "pods"
  | "resourceclaims"
  | "resourceslices"
  | "secrets"
  | "serviceaccounts"
  | "volumeattachments";

export interface RelatedObject {
  readonly resource: RelatedResource;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Whether a path leads from an object to a node:
 *
 *     secret ──> persistentvolume ──> persistentvolumeclaim ──┐
 *     secret, configmap, serviceaccount, resourceclaim ───────┴─> pod ──> node
 *     volumeattachment, resourceslice ──────────────────────────────────> node
 *
 * An unknown object or node is an answer: no.
 */
export interface Relations {
  hasPath(object: RelatedObject, node: string): boolean;
}

export interface NodeQuestion {
  readonly asked: Attributes;
  /** Who asks; never empty. */
  readonly node: string;
  readonly relations: Relations;
}
