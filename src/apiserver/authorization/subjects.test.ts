import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ASKED, aRule } from "../../../test/builders/access.ts";
import type { RoleBinding, Subject } from "../../api/access/index.ts";
import { createRbacAuthorizer, type RbacObjects } from "./rbac.ts";
import { createSubjectIndex } from "./subjects.ts";

const RBAC = { apiGroup: "rbac.authorization.k8s.io" };

function aBinding(name: string, subjects: readonly Subject[] | undefined, namespace?: string): RoleBinding {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { ...RBAC, kind: "ClusterRole", name: "view" },
    ...(subjects === undefined ? {} : { subjects }),
  };
}

const alice: Subject = { ...RBAC, kind: "User", name: "alice" };
const staff: Subject = { ...RBAC, kind: "Group", name: "staff" };
const account: Subject = { kind: "ServiceAccount", name: "robot", namespace: "home" };

describe("bindings by whom they are for", () => {
  const namesFor = (index: ReturnType<typeof createSubjectIndex>, username: string, groups: readonly string[] = []) =>
    [...index.bindingsOf({ username, groups })].map(({ metadata }) => metadata.name);

  it("are found by user, group and service account, each once", () => {
    const index = createSubjectIndex();
    index.put("both", aBinding("both", [alice, staff]));
    index.put("robots", aBinding("robots", [account]));
    index.put("nobody", aBinding("nobody", undefined));
    expect(namesFor(index, "alice", ["staff"])).toEqual(["both"]);
    expect(namesFor(index, "bob", ["staff", "others"])).toEqual(["both"]);
    expect(namesFor(index, "system:serviceaccount:home:robot")).toEqual(["robots"]);
    expect(namesFor(index, "staff", ["alice"])).toEqual([]);
  });

  it("of a namespace are for its own accounts where a subject names no other", () => {
    const index = createSubjectIndex();
    const { namespace: _home, ...unplaced } = account;
    index.put("own", aBinding("own", [unplaced], "away"));
    expect(namesFor(index, "system:serviceaccount:away:robot")).toEqual(["own"]);
    index.put("own", aBinding("own", [unplaced]));
    expect(namesFor(index, "system:serviceaccount::robot")).toEqual([]);
  });

  it("follow every change", () => {
    const index = createSubjectIndex();
    index.put("b", aBinding("b", [alice]));
    index.put("b", aBinding("b", [staff]));
    expect([namesFor(index, "alice"), namesFor(index, "bob", ["staff"])]).toEqual([[], ["b"]]);
    index.put("b", undefined);
    index.put("b", undefined);
    expect(namesFor(index, "bob", ["staff"])).toEqual([]);
  });

  it("leave nothing out that the authorizer would have found among all", () => {
    const word = fc.constantFrom("a", "b", "system:serviceaccount:a:b", "");
    const kind = fc.constantFrom("User", "Group", "ServiceAccount", "Robot");
    const subject = fc.record({ kind, name: word, namespace: word }) as fc.Arbitrary<Subject>;
    const bindings = fc.array(fc.array(subject, { maxLength: 3 }), { maxLength: 5 });
    const user = fc.record({ username: word, groups: fc.array(word, { maxLength: 2 }) });
    fc.assert(
      fc.property(bindings, user, fc.boolean(), (lists, who, isNamespaced) => {
        const made = lists.map((subjects, at) => aBinding(`b${at}`, subjects, isNamespaced ? "a" : undefined));
        const index = createSubjectIndex();
        for (const binding of made) index.put(binding.metadata.name ?? "", binding);
        const kindOf = (found: () => Iterable<RoleBinding>) =>
          createRbacAuthorizer(rbacOf(found)).authorize({ ...ASKED, user: who }).kind;
        expect(kindOf(() => index.bindingsOf(who))).toBe(kindOf(() => made));
      }),
    );
  });
});

function rbacOf(bindings: () => Iterable<RoleBinding>): RbacObjects {
  const view = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "view" },
    rules: [aRule()],
  };
  return { clusterRoleBindings: bindings, roleBindings: () => [], clusterRole: () => view, role: () => undefined };
}
