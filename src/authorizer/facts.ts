// What the node authorizer may know: the question, the node that asks, and one thing about the cluster: whether an
// object is related to a node. The edges of that relation are in references/; their keeper answers through
// Relations.

import type { Attributes, UserInfo } from "../api/access/index.ts";
import { NODE_USER_PREFIX, NODES_GROUP } from "../api/certificates/index.ts";

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
  /** The node that asks; never empty. */
  readonly node: string;
  readonly relations: Relations;
}

// A node is a user named system:node:<name> in group system:nodes. The name alone is no proof: any client that may
// issue client certificates for a user name but not for that group must not become a node.

/** The node's name, possibly empty and not checked; undefined for a user that is no node. */
export function nodeOfUser(user: UserInfo): string | undefined {
  if (!user.username.startsWith(NODE_USER_PREFIX) || !user.groups.includes(NODES_GROUP)) return undefined;
  return user.username.slice(NODE_USER_PREFIX.length);
}
