import { describe, expect, it } from "vitest";
import { ASKED, aRule } from "../../../test/builders/access.ts";
import type { ClusterRole, PolicyRule, RoleBinding } from "../../api/access/index.ts";
import { createRbacAuthorizer, type RbacObjects } from "./rbac.ts";
import { describeRule, uncovered } from "./rule-cover.ts";
import { createAuthorizerChain, privilegedAuthorizer } from "./stage.ts";

function aBinding(subject: RoleBinding["subjects"], changed: Partial<RoleBinding> = {}): RoleBinding {
  return {
    kind: "RoleBinding",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: { name: "b" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    ...(subject === undefined ? {} : { subjects: subject }),
    ...changed,
  };
}

const READER: ClusterRole = { kind: "ClusterRole", apiVersion: "", metadata: { name: "reader" }, rules: [aRule({})] };

function objects(cluster: readonly RoleBinding[], inNamespace: readonly RoleBinding[] = []): RbacObjects {
  return {
    clusterRoleBindings: () => cluster,
    roleBindings: (namespace) => (namespace === "ns" ? inNamespace : []),
    clusterRole: (name) => (name === "reader" ? READER : undefined),
    role: () => undefined,
  };
}

const group = { kind: "Group", name: "dev" };

describe("RBAC", () => {
  it("allows by a cluster role binding, and says which", () => {
    expect(createRbacAuthorizer(objects([aBinding([group])])).authorize(ASKED)).toMatchObject({
      kind: "Allow",
      message: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "dev"',
    });
  });

  it("allows by a role binding in its own namespace only", () => {
    const binding = aBinding([{ kind: "User", name: "jane" }], { metadata: { name: "b", namespace: "ns" } });
    const rbac = createRbacAuthorizer(objects([], [binding]));
    expect(rbac.authorize(ASKED)).toMatchObject({
      kind: "Allow",
      message: 'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "reader" to User "jane"',
    });
    expect(rbac.authorize({ ...ASKED, namespace: "other" }).kind).toBe("NoOpinion");
    expect(rbac.authorize({ ...ASKED, namespace: "" }).kind).toBe("NoOpinion");
  });

  it("knows a service account by its user name", () => {
    const account = { kind: "ServiceAccount", name: "bot", namespace: "ns" };
    const user = { username: "system:serviceaccount:ns:bot", groups: [] };
    const rbac = createRbacAuthorizer(objects([aBinding([account])]));
    expect(rbac.authorize({ ...ASKED, user }).kind).toBe("Allow");
    expect(rbac.authorize(ASKED).kind).toBe("NoOpinion");
  });

  it("tells of a role that is missing, and goes on", () => {
    const broken = aBinding([group], { roleRef: { apiGroup: "", kind: "ClusterRole", name: "gone" } });
    expect(createRbacAuthorizer(objects([broken])).authorize(ASKED)).toMatchObject({
      kind: "NoOpinion",
      message: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
    expect(createRbacAuthorizer(objects([broken, aBinding([group])])).authorize(ASKED).kind).toBe("Allow");
  });
});

describe("the chain", () => {
  it("lets system:masters do everything, before any authorizer is asked", () => {
    const user = { username: "root", groups: ["system:masters"] };
    expect(createAuthorizerChain([privilegedAuthorizer]).authorize({ ...ASKED, user }).kind).toBe("Allow");
  });

  it("keeps the reasons of all who had no opinion", () => {
    const silent = (message: string) => ({
      authorize: () => ({ kind: "NoOpinion" as const, rule: "", reason: "", message }),
    });
    expect(createAuthorizerChain([silent("a"), silent(""), silent("b")]).authorize(ASKED)).toMatchObject({
      kind: "NoOpinion",
      message: "a\nb",
    });
  });
});

describe("covering", () => {
  const held = [aRule({ verbs: ["get", "list"] }), aRule({ resources: ["*/status"], verbs: ["*"] })];
  const covered: Record<string, [Partial<PolicyRule>, boolean]> = {
    "what is held": [{}, true],
    "two verbs of which one is not held": [{ verbs: ["get", "delete"] }, false],
    "one name of what is held": [{ resourceNames: ["p"] }, true],
    everything: [{ resources: ["*"] }, false],
    "a status through the wildcard": [{ resources: ["nodes/status"], verbs: ["patch"] }, true],
    "another group": [{ apiGroups: ["apps"] }, false],
  };
  it.each(Object.entries(covered))("%s", (_name, [wanted, expected]) => {
    expect(uncovered(held, [aRule(wanted)]).length === 0).toBe(expected);
  });

  it("never lets named rights cover unnamed ones", () => {
    expect(uncovered([aRule({ resourceNames: ["p"] })], [aRule({})]).map(describeRule)).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ]);
  });

  it("compares URLs by prefix", () => {
    const urls = (url: string): PolicyRule => ({ verbs: ["get"], nonResourceURLs: [url] });
    expect(uncovered([urls("/a/*")], [urls("/a/b"), urls("/a/*")])).toEqual([]);
    expect(uncovered([urls("/a/b")], [urls("/a/*")])).toHaveLength(1);
  });
});
