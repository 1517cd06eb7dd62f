// The node authorizer: what a node may do beyond RBAC. It never denies, it has no opinion; its reason still reaches the
// client when no other authorizer allows the request. Behaviour of kubernetes/plugin/pkg/auth/authorizer/node, in this
// order:
//  1. only users named system:node:<name> in group system:nodes are nodes; one without a name gets nothing
//  2. the resources of RULES by their own rule, which decides alone
//  3. everything else by the static rules of ClusterRole system:node

import type { Attributes, Authorizer, Decision } from "../api/access/index.ts";
import { allow, noOpinion } from "../kernel/outcome/index.ts";
import { nodeOfUser, type Relations } from "./facts.ts";
import {
  configMaps,
  csiNodes,
  leases,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  resourceClaims,
  resourceSlices,
  secrets,
  serviceAccounts,
  volumeAttachments,
} from "./rules/resources.ts";
import { createRoleRule, type NodeRule } from "./rules/rule.ts";

/** By `<group>/<resource>`; the version does not matter. */
const RULES: ReadonlyMap<string, NodeRule> = new Map([
  ["/secrets", secrets],
  ["/configmaps", configMaps],
  ["/persistentvolumeclaims", persistentVolumeClaims],
  ["/persistentvolumes", persistentVolumes],
  ["resource.k8s.io/resourceclaims", resourceClaims],
  ["storage.k8s.io/volumeattachments", volumeAttachments],
  ["/serviceaccounts", serviceAccounts],
  ["coordination.k8s.io/leases", leases],
  ["storage.k8s.io/csinodes", csiNodes],
  ["resource.k8s.io/resourceslices", resourceSlices],
  ["/nodes", nodes],
  ["/pods", pods],
  // Behind a feature gate that is off by default in 1.36; the static rules are not asked either.
  ["certificates.k8s.io/podcertificaterequests", () => ""],
]);

export function createNodeAuthorizer(relations: Relations): Authorizer {
  const byRole = createRoleRule();
  return {
    authorize: (asked) => {
      const node = nodeOfUser(asked.user);
      if (node === undefined) return refused("");
      if (node === "") return refused(`unknown node for user ${JSON.stringify(asked.user.username)}`);
      const reason = (ruleFor(asked) ?? byRole)({ asked, node, relations });
      return reason === undefined ? ALLOWED : refused(reason);
    },
  };
}

function ruleFor({ isResource, group, resource }: Attributes): NodeRule | undefined {
  return isResource ? RULES.get(`${group}/${resource}`) : undefined;
}

const RULE = "node";
const ALLOWED: Decision = allow({ rule: RULE, reason: "NodeMay", message: "" });

function refused(message: string): Decision {
  return noOpinion({ rule: RULE, reason: "NodeMayNot", message });
}
