import { describe, expect, it } from "vitest";
import { bootstrapPolicy, clusterRoleRules } from "./objects.ts";

const policy = bootstrapPolicy();

describe("the bootstrap policy", () => {
  it("has the objects of a fresh Kubernetes 1.36 cluster", () => {
    expect(policy.clusterRoles).toHaveLength(31 + 38);
    expect(policy.clusterRoleBindings).toHaveLength(12 + 38);
    expect(policy.roles).toHaveLength(7);
    expect(policy.roleBindings).toHaveLength(7);
  });

  it("marks each of them, so that a later start knows its own", () => {
    for (const { metadata } of Object.values(policy).flat()) {
      expect(metadata.labels).toMatchObject({ "kubernetes.io/bootstrapping": "rbac-defaults" });
      expect(metadata.annotations).toEqual({ "rbac.authorization.kubernetes.io/autoupdate": "true" });
    }
  });

  it("binds only roles that exist", () => {
    const names = new Set([
      ...policy.clusterRoles.map((role) => `ClusterRole//${role.metadata.name}`),
      ...policy.roles.map((role) => `Role/${role.metadata.namespace}/${role.metadata.name}`),
    ]);
    for (const { roleRef, metadata } of [...policy.clusterRoleBindings, ...policy.roleBindings]) {
      const namespace = roleRef.kind === "Role" ? metadata.namespace : "";
      expect(names).toContain(`${roleRef.kind}/${namespace}/${roleRef.name}`);
    }
  });

  it("gives nodes nothing through RBAC: they are the node authorizer's business", () => {
    const binding = policy.clusterRoleBindings.find(({ metadata }) => metadata.name === "system:node");
    expect(binding?.subjects).toBeUndefined();
    expect(clusterRoleRules("system:node")).toHaveLength(25);
  });

  it("gives system:masters everything and the anonymous only the public paths", () => {
    const to = (group: string) =>
      policy.clusterRoleBindings.filter(({ subjects }) => subjects?.some(({ name }) => name === group));
    expect(to("system:masters").map(({ roleRef }) => roleRef.name)).toEqual(["cluster-admin"]);
    expect(to("system:unauthenticated").map(({ roleRef }) => roleRef.name)).toEqual(["system:public-info-viewer"]);
    expect(to("system:nodes")).toEqual([]);
    expect(to("system:bootstrappers")).toEqual([]);
  });

  it("collects view into edit and edit into admin", () => {
    const own = (name: string) => clusterRoleRules(name).length;
    expect(own("view")).toBe(own("system:aggregate-to-view"));
    expect(own("edit")).toBe(own("view") + own("system:aggregate-to-edit"));
    expect(own("admin")).toBe(own("edit") + own("system:aggregate-to-admin"));
    const admin = policy.clusterRoles.find(({ metadata }) => metadata.name === "admin");
    expect(admin?.aggregationRule?.clusterRoleSelectors).toEqual([
      { matchLabels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" } },
    ]);
  });
});
