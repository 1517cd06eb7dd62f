// The names of our API group: where its kinds live, the labels and annotations that carry meaning, and the names that
// several parts spell the same way.

import { encodeBase32, parseHex } from "../../kernel/bytes/index.ts";
import type { Resource } from "../meta/index.ts";

export const COUNTERSIGN_GROUP = "countersign.dev";
const COUNTERSIGN_VERSION = "v1alpha1";
export const COUNTERSIGN_API_VERSION = `${COUNTERSIGN_GROUP}/${COUNTERSIGN_VERSION}`;

export const JOIN_POLICIES: Resource = {
  group: COUNTERSIGN_GROUP,
  version: COUNTERSIGN_VERSION,
  plural: "joinpolicies",
  kind: "JoinPolicy",
  namespaced: false,
};

export const NODE_IDENTITIES: Resource = {
  group: COUNTERSIGN_GROUP,
  version: COUNTERSIGN_VERSION,
  plural: "nodeidentities",
  kind: "NodeIdentity",
  namespaced: false,
};

/**
 * On a NodeIdentity: base32 of the SHA-256 of the endorsement key (52 characters, which fit a label). One key, one live
 * identity.
 */
export const EK_LABEL = "countersign.dev/ek";

/** The value of that label for a key by its hash, in hex. */
export function ekLabelOf(hash: string): string {
  return encodeBase32(parseHex(hash));
}

/** On a NodeIdentity: the cluster and the node it is about, for selectors. */
export const CLUSTER_LABEL = "countersign.dev/cluster";
export const NODE_LABEL = "countersign.dev/node";

/** How well an endorsement key is known, best first. */
export const EK_TRUST_LEVELS = ["Pinned", "Bound", "Listed", "Genuine", "FirstUse"] as const;
export type EkTrustLevel = (typeof EK_TRUST_LEVELS)[number];

/**
 * In the controller's namespace of the management cluster: the ConfigMap with the key to which machines may seal their
 * evidence.
 */
export const EVIDENCE_RECIPIENT = { name: "countersign-evidence-recipient", key: "evidenceRecipient" } as const;
