// The node authorizer: what a node may do beyond RBAC. It never denies, it has no opinion; its reason still reaches the
// client when nobody else allows the request. Behaviour of kubernetes/plugin/pkg/auth/authorizer/node, in this order:
//  1. only users named system:node:<name> in group system:nodes are nodes
//  2. what depends on the pods of a node (secrets, configmaps, volumes, tokens) is refused: this server keeps no pods,
//     so no object is related to any node
//  3. own Node, own Lease, own CSINode
//  4. everything else by the static rules of ClusterRole system:node

import type { UserInfo } from "../../api/access/index.ts";
import { NODE_USER_PREFIX, NODES_GROUP } from "../../api/certificates/index.ts";
import { allow, noOpinion } from "../../kernel/outcome/index.ts";
import type { Attributes, Authorizer, Decision } from "./attributes.ts";
import { clusterRoleRules } from "./policy/index.ts";
import { ruleAllows } from "./rule-match.ts";

const RULE = "node";
const NODE_LEASES = "kube-node-lease";

/** The node's name (possibly empty), or undefined for a user that is no node. */
export function nodeNameOf(user: UserInfo): string | undefined {
  if (!user.username.startsWith(NODE_USER_PREFIX) || !user.groups.includes(NODES_GROUP)) return undefined;
  return user.username.slice(NODE_USER_PREFIX.length);
}

export function createNodeAuthorizer(): Authorizer {
  const staticRules = clusterRoleRules("system:node");
  const byStaticRules: NodeRule = (asked) => (staticRules.some((rule) => ruleAllows(rule, asked)) ? undefined : "");
  return {
    authorize: (asked) => {
      const node = nodeNameOf(asked.user);
      if (node === undefined) return refused("");
      if (node === "") return refused(`unknown node for user ${JSON.stringify(asked.user.username)}`);
      const reason = (ruleFor(asked) ?? byStaticRules)(asked, node);
      return reason === undefined ? allowed() : refused(reason);
    },
  };
}

function ruleFor({ isResource, group, resource }: Attributes): NodeRule | undefined {
  const key = `${group}/${resource}`;
  return isResource && Object.hasOwn(SPECIAL, key) ? SPECIAL[key] : undefined;
}

function allowed(): Decision {
  return allow({ rule: RULE, reason: "NodeMay", message: "" });
}

function refused(message: string): Decision {
  return noOpinion({ rule: RULE, reason: "NodeMayNot", message });
}

/** Undefined allows; a text refuses, with that reason. */
type NodeRule = (asked: Attributes, node: string) => string | undefined;

const SPECIAL: Readonly<Record<string, NodeRule>> = {
  "/secrets": relatedRead,
  "/configmaps": relatedRead,
  "/persistentvolumeclaims": relatedClaim,
  "/persistentvolumes": relatedGet,
  "resource.k8s.io/resourceclaims": relatedGet,
  "storage.k8s.io/volumeattachments": relatedGet,
  "/serviceaccounts": serviceAccount,
  "coordination.k8s.io/leases": ownLease,
  "storage.k8s.io/csinodes": ownCsiNode,
  "/nodes": ownNode,
  "/pods": pods,
  "resource.k8s.io/resourceslices": resourceSlices,
  "certificates.k8s.io/podcertificaterequests": () => "",
};

/** There is no graph of pods yet, so nothing is related to any node. */
function unrelated(asked: Attributes, node: string): string {
  return asked.name === "" ? "No Object name found" : `no relationship found between node '${node}' and this object`;
}

function relatedRead(asked: Attributes, node: string): string {
  if (!["get", "list", "watch"].includes(asked.verb)) return "can only read resources of this type";
  if (asked.subresource !== "") return "cannot read subresource";
  if (asked.namespace === "") return "can only read namespaced object of this type";
  return unrelated(asked, node);
}

function relatedGet(asked: Attributes, node: string): string {
  if (asked.verb !== "get") return "can only get individual resources of this type";
  return asked.subresource === "" ? unrelated(asked, node) : "cannot get subresource";
}

function relatedClaim(asked: Attributes, node: string): string {
  if (asked.subresource !== "status") return relatedGet(asked, node);
  return ["update", "patch"].includes(asked.verb) ? unrelated(asked, node) : "can only get/update/patch this type";
}

function serviceAccount(asked: Attributes, node: string): string {
  if (asked.subresource === "") return asked.namespace === "" ? relatedRead(asked, node) : relatedGet(asked, node);
  if (asked.subresource !== "token") return "can only create token subresource of serviceaccount";
  if (asked.verb !== "create" || asked.name === "") return "can only create tokens for individual service accounts";
  return unrelated(asked, node);
}

const OWN_VERBS: readonly string[] = ["get", "create", "update", "patch", "delete"];

function ownLease(asked: Attributes, node: string): string | undefined {
  if (!OWN_VERBS.includes(asked.verb)) return "can only get, create, update, patch, or delete a node lease";
  if (asked.namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  if (asked.verb === "create" || asked.name === node) return undefined;
  return "can only access node lease with the same name as the requesting node";
}

function ownCsiNode(asked: Attributes, node: string): string | undefined {
  if (!OWN_VERBS.includes(asked.verb)) return "can only get, create, update, patch, or delete a CSINode";
  if (asked.subresource !== "") return "cannot authorize CSINode subresources";
  if (asked.verb === "create" || asked.name === node) return undefined;
  return "can only access CSINode with the same name as the requesting node";
}

/** Writing is narrowed to the own object by NodeRestriction, which sees the name that a create carries in its body. */
function ownNode(asked: Attributes, node: string): string | undefined {
  if (asked.subresource === "status") return ["update", "patch"].includes(asked.verb) ? undefined : "";
  if (asked.subresource !== "") return "";
  if (["create", "update", "patch"].includes(asked.verb)) return undefined;
  if (!["get", "list", "watch"].includes(asked.verb)) return "";
  if (asked.name === node) return undefined;
  if (asked.name === "") return `node '${node}' cannot read all nodes, only its own Node object`;
  return `node '${node}' cannot read '${asked.name}', only its own Node object`;
}

function selectsOwnNode(asked: Attributes, node: string): boolean {
  return asked.fieldRequirements.some(
    ({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node,
  );
}

const POD_WRITES: Readonly<Record<string, readonly string[]>> = {
  "": ["create", "delete"],
  status: ["update", "patch"],
  eviction: ["create"],
};

function pods(asked: Attributes, node: string): string | undefined {
  const { subresource, verb } = asked;
  if (Object.hasOwn(POD_WRITES, subresource) && POD_WRITES[subresource]?.includes(verb) === true) return undefined;
  if (subresource !== "") return "";
  if (verb === "get") return unrelated(asked, node);
  if (verb !== "list" && verb !== "watch") return "";
  if (selectsOwnNode(asked, node)) return undefined;
  if (asked.name !== "") return unrelated(asked, node);
  return "can only list/watch pods with spec.nodeName field selector";
}

function resourceSlices(asked: Attributes, node: string): string | undefined {
  if (asked.subresource !== "") return "cannot authorize ResourceSlice subresources";
  if (asked.verb === "create") return undefined;
  if (["get", "update", "patch", "delete"].includes(asked.verb)) return unrelated(asked, node);
  if (!["list", "watch", "deletecollection"].includes(asked.verb)) {
    return "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection";
  }
  if (selectsOwnNode(asked, node)) return undefined;
  return "can only list/watch/deletecollection resourceslices with nodeName field selector";
}
