import { describe, expect, it } from "vitest";
import type { Attributes } from "./attributes.ts";
import { createNodeAuthorizer, nodeNameOf } from "./node.ts";

const NODE = { username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] };
const authorizer = createNodeAuthorizer();

function ask(line: string, changed: Partial<Attributes> = {}) {
  const [verb = "", target = ""] = line.split(" ");
  const [path = "", name = ""] = target.split(":");
  const [group = "", resource = "", subresource = ""] = path.split("/");
  return authorizer.authorize({
    user: NODE,
    verb,
    isResource: true,
    path: "",
    group,
    version: "v1",
    resource,
    subresource,
    namespace: "",
    name,
    fieldRequirements: [],
    ...changed,
  });
}

const LEASES = "coordination.k8s.io/leases";
const CSRS = "certificates.k8s.io/certificatesigningrequests";
const own = { namespace: "kube-node-lease" };

describe("a node may", () => {
  const allowed: Record<string, Partial<Attributes>> = {
    "create /nodes": {},
    "get /nodes:n1": {},
    "watch /nodes:n1": {},
    "update /nodes:n1": {},
    "patch /nodes/status:n1": {},
    [`create ${LEASES}`]: own,
    [`get ${LEASES}:n1`]: own,
    [`update ${LEASES}:n1`]: own,
    [`create ${CSRS}`]: {},
    [`get ${CSRS}:any`]: {},
    [`watch ${CSRS}`]: {},
    "create /events": { namespace: "default" },
    "patch events.k8s.io/events:e": { namespace: "default" },
    "list /services": {},
    "list /pods": { fieldRequirements: [{ field: "spec.nodeName", operator: "=", value: "n1" }] },
    "create authorization.k8s.io/subjectaccessreviews": {},
  };
  it.each(Object.entries(allowed))("%s", (line, changed) => {
    expect(ask(line, changed).kind).toBe("Allow");
  });
});

describe("a node may not", () => {
  const unrelated = "no relationship found between node 'n1' and this object";
  const refused: Record<string, [Partial<Attributes>, string]> = {
    "get /secrets:s": [{ namespace: "ns" }, unrelated],
    "list /secrets": [{ namespace: "ns" }, "No Object name found"],
    "watch /secrets:s": [{ namespace: "ns" }, unrelated],
    "list /secrets:all": [{}, "can only read namespaced object of this type"],
    "create /secrets": [{ namespace: "ns" }, "can only read resources of this type"],
    "get /secrets/x:s": [{ namespace: "ns" }, "cannot read subresource"],
    "get /configmaps:c": [{ namespace: "ns" }, unrelated],
    "get /persistentvolumes:v": [{}, unrelated],
    "get /serviceaccounts:a": [{ namespace: "ns" }, unrelated],
    "create /serviceaccounts/token:a": [{ namespace: "ns" }, unrelated],
    "list /nodes": [{}, "node 'n1' cannot read all nodes, only its own Node object"],
    "get /nodes:n2": [{}, "node 'n1' cannot read 'n2', only its own Node object"],
    "delete /nodes:n1": [{}, ""],
    "get /nodes/proxy:n1": [{}, ""],
    [`get ${LEASES}:n2`]: [own, "can only access node lease with the same name as the requesting node"],
    [`get ${LEASES}:n2x`]: [
      { namespace: "kube-system" },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [`list ${LEASES}`]: [own, "can only get, create, update, patch, or delete a node lease"],
    "list /pods": [{}, "can only list/watch pods with spec.nodeName field selector"],
    [`update ${CSRS}/approval:c`]: [{}, ""],
    [`delete ${CSRS}:c`]: [{}, ""],
    "get rbac.authorization.k8s.io/clusterroles:r": [{}, ""],
  };
  it.each(Object.entries(refused))("%s", (line, [changed, message]) => {
    expect(ask(line, changed)).toMatchObject({ kind: "NoOpinion", message });
  });

  it("list pods that are not on it", () => {
    const other = [{ field: "spec.nodeName", operator: "!=" as const, value: "n1" }];
    expect(ask("list /pods", { fieldRequirements: other }).kind).toBe("NoOpinion");
  });
});

describe("who is a node", () => {
  it("needs the name and the group", () => {
    expect(nodeNameOf(NODE)).toBe("n1");
    expect(nodeNameOf({ username: "system:node:n1", groups: [] })).toBeUndefined();
    expect(nodeNameOf({ username: "n1", groups: ["system:nodes"] })).toBeUndefined();
  });

  it("gets nothing without a name", () => {
    const user = { username: "system:node:", groups: ["system:nodes"] };
    expect(ask("create /nodes", { user })).toMatchObject({ message: 'unknown node for user "system:node:"' });
  });

  it("gets nothing by names that every object inherits", () => {
    expect(ask("get /constructor:x").kind).toBe("NoOpinion");
  });
});
