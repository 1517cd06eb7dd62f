import { describe, expect, it } from "vitest";
import type { Attributes } from "../api/access/index.ts";
import { createNodeAuthorizer, nodeOfUser, type RelatedObject, type Relations } from "./index.ts";

const NODE = { username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] };

/** Everything in namespace "ns" whose name begins with "own" is related to n1. */
const relations: Relations = {
  hasPath: ({ namespace, name }: RelatedObject, node: string) =>
    node === "n1" && name.startsWith("own") && (namespace === "ns" || namespace === ""),
};
const authorizer = createNodeAuthorizer(relations);

/**
 * `<verb> <group>/<resource>[/<subresource>][:<namespace>/<name>]`, and what the field selector says of spec.nodeName.
 */
function ask(line: string, changed: Partial<Attributes> = {}) {
  const [verb = "", target = "", selector = ""] = line.split(" ");
  const [path = "", place = ""] = target.split(":");
  const [group = "", resource = "", subresource = ""] = path.split("/");
  const [namespace = "", name = ""] = place.includes("/") ? place.split("/") : ["", place];
  const [, operator = "", value = ""] = /^(!?=)(.*)$/.exec(selector) ?? [];
  const fieldRequirements =
    operator === "" ? [] : [{ field: "spec.nodeName", operator: operator === "=" ? "=" : "!=", value } as const];
  const about = { group, version: "v1", resource, subresource, namespace, name, fieldRequirements };
  return authorizer.authorize({ user: NODE, verb, isResource: true, path: "", ...about, ...changed });
}

const LEASES = "coordination.k8s.io/leases";
const CSRS = "certificates.k8s.io/certificatesigningrequests";
const CSI_NODES = "storage.k8s.io/csinodes";
const SLICES = "resource.k8s.io/resourceslices";

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "secrets and configmaps of its pods, one at a time": [
    "get /secrets:ns/own",
    "list /secrets:ns/own",
    "watch /secrets:ns/own",
    "get /configmaps:ns/own",
    "watch /configmaps:ns/own",
  ],
  "what its pods mount and use": [
    "get /persistentvolumeclaims:ns/own",
    "update /persistentvolumeclaims/status:ns/own",
    "patch /persistentvolumeclaims/status:ns/own",
    "get /persistentvolumes:own",
    "get storage.k8s.io/volumeattachments:own",
    "get resource.k8s.io/resourceclaims:ns/own",
  ],
  "service accounts of its pods and their tokens": [
    "get /serviceaccounts:ns/own",
    "create /serviceaccounts/token:ns/own",
  ],
  "its own Node, even before it exists": [
    "create /nodes",
    "get /nodes:n1",
    "list /nodes:n1",
    "watch /nodes:n1",
    "update /nodes:n1",
    "patch /nodes:n1",
    "update /nodes/status:n1",
    "patch /nodes/status:n1",
  ],
  "its own Lease": [
    `create ${LEASES}:kube-node-lease/`,
    `get ${LEASES}:kube-node-lease/n1`,
    `update ${LEASES}:kube-node-lease/n1`,
    `patch ${LEASES}:kube-node-lease/n1`,
    `delete ${LEASES}:kube-node-lease/n1`,
  ],
  "its own CSINode": [`create ${CSI_NODES}`, `get ${CSI_NODES}:n1`, `patch ${CSI_NODES}:n1`, `delete ${CSI_NODES}:n1`],
  "its own ResourceSlices": [
    `create ${SLICES}`,
    `get ${SLICES}:own`,
    `update ${SLICES}:own`,
    `patch ${SLICES}:own`,
    `delete ${SLICES}:own`,
    `list ${SLICES} =n1`,
    `watch ${SLICES} =n1`,
    `deletecollection ${SLICES} =n1`,
  ],
  "the pods that are bound to it": [
    "get /pods:ns/own",
    "list /pods:ns/own",
    "list /pods =n1",
    "watch /pods =n1",
    "create /pods:ns/",
    "delete /pods:ns/any",
    "update /pods/status:ns/any",
    "patch /pods/status:ns/any",
    "create /pods/eviction:ns/any",
  ],
  "whatever ClusterRole system:node says": [
    `create ${CSRS}`,
    `get ${CSRS}:any`,
    `watch ${CSRS}`,
    "create /events:default/",
    "patch events.k8s.io/events:default/e",
    "list /services",
    "get /endpoints:ns/e",
    "create authentication.k8s.io/tokenreviews",
    "create authorization.k8s.io/subjectaccessreviews",
    "list storage.k8s.io/csidrivers",
    "watch node.k8s.io/runtimeclasses",
  ],
};

describe("a node may touch", () => {
  const rows = Object.entries(ALLOWED).flatMap(([what, lines]) => lines.map((line) => [what, line] as const));
  it.each(rows)("%s: %s", (_what, line) => {
    expect(ask(line)).toMatchObject({ kind: "Allow", message: "" });
  });
});

const UNRELATED = "no relationship found between node 'n1' and this object";
const NAMELESS = "No Object name found";
const ONE_ONLY = "can only get individual resources of this type";
const READ_ONLY = "can only read resources of this type";
const TOKENS = "can only create tokens for individual service accounts";
const LEASE_VERBS = "can only get, create, update, patch, or delete a node lease";
const LEASE_NAMESPACE = 'can only access leases in the "kube-node-lease" system namespace';
const LEASE_NAME = "can only access node lease with the same name as the requesting node";
const CSI_NODE_NAME = "can only access CSINode with the same name as the requesting node";
const SLICE_SELECTOR = "can only list/watch/deletecollection resourceslices with nodeName field selector";
const SLICE_VERBS =
  "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, " +
  "delete, deletecollection";
const POD_SELECTOR = "can only list/watch pods with spec.nodeName field selector";

const REFUSED: Readonly<Record<string, string>> = {
  "get /secrets:ns/other": UNRELATED,
  "list /secrets:ns/": NAMELESS,
  "watch /secrets:ns/other": UNRELATED,
  "list /secrets:own": "can only read namespaced object of this type",
  "create /secrets:ns/own": READ_ONLY,
  "deletecollection /secrets:ns/": READ_ONLY,
  "get /secrets/x:ns/own": "cannot read subresource",
  "get /configmaps:other/own": UNRELATED,
  "update /configmaps:ns/own": READ_ONLY,
  "get /persistentvolumeclaims:ns/other": UNRELATED,
  "list /persistentvolumeclaims:ns/own": ONE_ONLY,
  "get /persistentvolumeclaims/status:ns/own": "can only get/update/patch this type",
  "update /persistentvolumeclaims/status:ns/other": UNRELATED,
  "get /persistentvolumeclaims/x:ns/own": "cannot get subresource",
  "patch /persistentvolumeclaims/x:ns/own": ONE_ONLY,
  "get /persistentvolumes:other": UNRELATED,
  "update /persistentvolumes:own": ONE_ONLY,
  "get storage.k8s.io/volumeattachments:other": UNRELATED,
  "list storage.k8s.io/volumeattachments": ONE_ONLY,
  "get resource.k8s.io/resourceclaims:ns/other": UNRELATED,
  "get resource.k8s.io/resourceclaims/status:ns/own": "cannot get subresource",
  "get /serviceaccounts:ns/other": UNRELATED,
  "get /serviceaccounts:own": "can only read namespaced object of this type",
  "list /serviceaccounts:ns/": TOKENS,
  "create /serviceaccounts/token:ns/other": UNRELATED,
  "create /serviceaccounts/token:ns/": TOKENS,
  "create /serviceaccounts/x:ns/own": "can only create token subresource of serviceaccount",
  "update /serviceaccounts:ns/own": TOKENS,
  "list /nodes": "node 'n1' cannot read all nodes, only its own Node object",
  "get /nodes:n2": "node 'n1' cannot read 'n2', only its own Node object",
  "delete /nodes:n1": "",
  "get /nodes/status:n1": "",
  "get /nodes/proxy:n1": "",
  [`list ${LEASES}:kube-node-lease/`]: LEASE_VERBS,
  [`get ${LEASES}:kube-system/n1`]: LEASE_NAMESPACE,
  [`get ${LEASES}:kube-node-lease/n2`]: LEASE_NAME,
  [`watch ${CSI_NODES}:n1`]: "can only get, create, update, patch, or delete a CSINode",
  [`get ${CSI_NODES}/status:n1`]: "cannot authorize CSINode subresources",
  [`get ${CSI_NODES}:n2`]: CSI_NODE_NAME,
  [`get ${SLICES}/status:own`]: "cannot authorize ResourceSlice subresources",
  [`get ${SLICES}:other`]: UNRELATED,
  [`list ${SLICES}`]: SLICE_SELECTOR,
  [`watch ${SLICES} =n2`]: SLICE_SELECTOR,
  [`deletecollection ${SLICES} !=n1`]: SLICE_SELECTOR,
  [`approve ${SLICES}:own`]: SLICE_VERBS,
  "get /pods:ns/other": UNRELATED,
  "list /pods": POD_SELECTOR,
  "watch /pods =n2": POD_SELECTOR,
  "list /pods !=n1": POD_SELECTOR,
  "watch /pods:ns/other": UNRELATED,
  "update /pods:ns/own": "",
  "deletecollection /pods:ns/ =n1": "",
  "create /pods/binding:ns/own": "",
  "patch /pods/ephemeralcontainers:ns/own": "",
  "get /pods/status:ns/own": "",
  "get certificates.k8s.io/podcertificaterequests:ns/own": "",
  [`update ${CSRS}/approval:c`]: "",
  [`delete ${CSRS}:c`]: "",
  "list /endpoints:ns/": "",
  "get rbac.authorization.k8s.io/clusterroles:r": "",
  "get extensions/secrets:ns/own": "",
  "get /constructor:own": "",
};

describe("a node may not", () => {
  it.each(Object.entries(REFUSED))("%s", (line, message) => {
    expect(ask(line)).toMatchObject({ kind: "NoOpinion", message });
  });

  it("read a path by its role", () => {
    expect(ask("get /nodes:n1", { isResource: false, path: "/metrics" })).toMatchObject({ kind: "NoOpinion" });
  });

  it("hide behind a second requirement, nor be hindered by one", () => {
    const other = { field: "metadata.namespace", operator: "=", value: "ns" } as const;
    const own = { field: "spec.nodeName", operator: "=", value: "n1" } as const;
    expect(ask("list /pods", { fieldRequirements: [other] }).kind).toBe("NoOpinion");
    expect(ask("list /pods", { fieldRequirements: [other, own] }).kind).toBe("Allow");
  });
});

describe("who is a node", () => {
  it("needs the name and the group", () => {
    expect(nodeOfUser(NODE)).toBe("n1");
    expect(nodeOfUser({ username: "system:node:n1", groups: [] })).toBeUndefined();
    expect(nodeOfUser({ username: "system:node:n1", groups: ["System:nodes"] })).toBeUndefined();
    expect(nodeOfUser({ username: "n1", groups: ["system:nodes"] })).toBeUndefined();
  });

  it("gets nothing without a name", () => {
    const user = { username: "system:node:", groups: ["system:nodes"] };
    expect(ask("create /nodes", { user })).toMatchObject({ message: 'unknown node for user "system:node:"' });
  });

  it("is nobody's business when it is somebody else", () => {
    const user = { username: "jane", groups: ["system:nodes"] };
    expect(ask("get /secrets:ns/own", { user })).toMatchObject({ kind: "NoOpinion", message: "" });
  });
});
