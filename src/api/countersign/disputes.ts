// A name that two Nodes have, and only their own kubelets say so: each writes into its Node's status what it likes.
// Pure.

import type { Inventory } from "./join-policy.ts";
import { canonicalDns, canonicalIp, matchesName } from "./names.ts";

interface Claimants {
  /** The node whose request has the name. */
  readonly asking: string;
  /** Other Nodes whose status has it. */
  readonly others: readonly string[];
  readonly inventory: Inventory | undefined;
}

/**
 * The Node that claims the name too; undefined where the policy's list says that it is the asking node's and not that
 * Node's.
 */
export function claimantOf(name: string, { asking, others, inventory }: Claimants): string | undefined {
  const lists = (inventory?.allow ?? []).filter(({ names }) =>
    names.some((one) => (canonicalIp(one) ?? canonicalDns(one)) === name),
  );
  const isListed = (node: string) => lists.some(({ nodeNames }) => matchesName(nodeNames, node));
  return isListed(asking) ? others.find(isListed) : others[0];
}

export function describeDispute(name: string, asking: string, claimant: string): string {
  return (
    `node ${asking} asks for ${JSON.stringify(name)}, and node ${claimant} says in its status that it has ` +
    "it; both are their " +
    "kubelets' own words: find out whose it is. A compromised kubelet claims what it likes; a Machine's address, or " +
    "serving.inventory.allow of the JoinPolicy for the right node, settles it"
  );
}
