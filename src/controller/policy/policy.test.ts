import { describe, expect, it } from "vitest";
import type { ClusterRole, RoleBinding } from "../../api/access/index.ts";
import type { JoinPolicy } from "../../api/countersign/index.ts";
import type { JoinPolicySpec } from "../../api/countersign/join-policy.ts";
import { createPolicyBook } from "./book.ts";
import { findBypasses } from "./bypasses.ts";
import { planStatus } from "./plan.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

function policy(name: string, spec: Partial<JoinPolicySpec> = {}): JoinPolicy {
  return {
    apiVersion: "countersign.dev/v1alpha1",
    kind: "JoinPolicy",
    metadata: { name, generation: 2 },
    spec: { mode: "Enforce", ...spec },
  };
}

function bookOf(...policies: readonly JoinPolicy[]) {
  const book = createPolicyBook();
  for (const one of policies) book.put(one);
  return book;
}

describe("the policy that covers a request", () => {
  it("is the first by mode, then by names, then by its own name", () => {
    const book = bookOf(
      policy("z"),
      policy("a", { mode: "Shadow" }),
      policy("y", { nodeNames: "worker-.*" }),
      policy("b"),
    );
    expect(book.list().map(({ name }) => name)).toEqual(["y", "b", "z", "a"]);
    expect(book.of("s/x", "worker-1")?.name).toBe("y");
    expect(book.of("s/x", "master-1")?.name).toBe("b");
  });

  it("is none when none is for the signer or the name", () => {
    const book = bookOf(
      policy("a", { signers: ["kubernetes.io/kubelet-serving"] }),
      policy("b", { nodeNames: "worker-.*" }),
    );
    expect(book.of("s/x", "master-1")).toBeUndefined();
    expect(book.of("s/x", undefined)).toBeUndefined();
    expect(book.of("kubernetes.io/kubelet-serving", undefined)?.name).toBe("a");
  });

  it("changes with its object, and goes with it", () => {
    const book = bookOf(policy("a"));
    book.put(policy("a", { mode: "Shadow" }));
    expect([book.of("s/x", "n")?.mode, book.hasShadow()]).toEqual(["Shadow", true]);
    book.forget(policy("a"));
    expect(book.of("s/x", "n")).toBeUndefined();
  });

  it("stops everything when it cannot be read and is in Enforce, and nothing when it is in Shadow", () => {
    const book = bookOf(
      policy("a", { nodeNames: "(" }),
      policy("b", { mode: "Shadow", disabledRules: ["signer-is-served"] }),
    );
    expect(book.broken()).toEqual([expect.stringContaining("JoinPolicy a cannot be read: spec.nodeNames")]);
    expect(book.faultOf("b")).toContain("signer-is-served");
  });
});

const role = (name: string, resources: string[]): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name },
  rules: [{ verbs: ["create"], apiGroups: ["certificates.k8s.io"], resources }],
});
const binding = (name: string, roleName: string, group: string): RoleBinding => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: roleName },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
});

describe("who gets past the rules", () => {
  const roles = [
    role("first", ["certificatesigningrequests/nodeclient"]),
    role("ask", ["certificatesigningrequests"]),
    role("all", ["*"]),
  ];

  it("is whoever is bound to one of the two virtual rights", () => {
    const found = findBypasses(roles, [
      binding("a", "first", "tokens"),
      binding("b", "ask", "tokens"),
      binding("c", "gone", "tokens"),
    ]);
    expect(found).toEqual([{ binding: "a", role: "first", subjects: ["Group tokens"], right: "nodeclient" }]);
  });

  it("is also whoever may do everything, but for the administrators", () => {
    expect(findBypasses(roles, [binding("a", "all", "system:masters")])).toEqual([]);
    expect(findBypasses(roles, [binding("a", "all", "devs")]).map(({ right }) => right)).toEqual([
      "nodeclient",
      "selfnodeclient",
    ]);
  });
});

describe("the status of a policy", () => {
  const bypasses = findBypasses(
    [role("first", ["certificatesigningrequests/nodeclient"])],
    [binding("open-door", "first", "tokens")],
  );

  it("names the bindings by which it is got past", () => {
    const status = planStatus(policy("a"), { bypasses, fault: undefined, nowMs: NOW_MS });
    expect(status?.conditions).toMatchObject([
      { type: "Accepted", status: "True" },
      { type: "LockedDown", status: "False", reason: "LockdownMissing", message: expect.stringContaining("open-door") },
    ]);
  });

  it("is not written again when it says so already, and keeps the time of the change", () => {
    const facts = { bypasses, fault: undefined, nowMs: NOW_MS };
    const status = planStatus(policy("a"), facts) ?? {};
    const written = { ...policy("a"), status };
    expect(planStatus(written, { ...facts, nowMs: NOW_MS + 1_000 })).toBeUndefined();
    const later = planStatus(written, { bypasses: [], fault: undefined, nowMs: NOW_MS + 1_000 });
    expect(later?.conditions).toMatchObject([
      { type: "Accepted", lastTransitionTime: "2026-01-01T00:00:00Z" },
      { type: "LockedDown", status: "True", lastTransitionTime: "2026-01-01T00:00:01Z" },
    ]);
  });

  it("says what is wrong with a policy, and that one in Shadow keeps nobody out", () => {
    const status = planStatus(policy("a", { mode: "Shadow" }), { bypasses, fault: "spec.x is wrong", nowMs: NOW_MS });
    expect(status?.conditions).toMatchObject([
      { type: "Accepted", status: "False", message: "spec.x is wrong" },
      { type: "LockedDown", status: "Unknown" },
    ]);
  });
});
