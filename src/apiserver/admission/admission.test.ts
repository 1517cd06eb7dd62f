import { describe, expect, it } from "vitest";
import { aCsr, withSigner, withSubject } from "../../../test/builders/csr.ts";
import type { PolicyRule, UserInfo } from "../../api/access/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CSRS,
  type KubeObject,
  NAMESPACES,
  type Resource,
} from "../../api/meta/index.ts";
import type { RbacObjects } from "../authorization/rbac.ts";
import { createRbacAuthorizer } from "../authorization/rbac.ts";
import type { Attempt, Operation } from "../call.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import type { Questions } from "./plugin.ts";
import { PLUGINS } from "./stage.ts";

/** jane holds these rules, and the roles "small" (get pods) and "big" (everything) exist. */
function questions(held: readonly PolicyRule[] = [], stored: Record<string, KubeObject> = {}): Questions {
  const role = (rules: readonly PolicyRule[]) => ({ kind: "ClusterRole", apiVersion: "", metadata: {}, rules });
  const roles: Record<string, ReturnType<typeof role>> = {
    held: role(held),
    small: role([{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]),
    big: role([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]),
  };
  const rbac: RbacObjects = {
    clusterRoleBindings: () => [
      {
        kind: "ClusterRoleBinding",
        apiVersion: "",
        metadata: { name: "held" },
        subjects: [{ kind: "User", name: "jane" }],
        roleRef: { apiGroup: "", kind: "ClusterRole", name: "held" },
      },
    ],
    roleBindings: () => [],
    clusterRole: (name) => roles[name],
    role: () => undefined,
  };
  return {
    authorize: createRbacAuthorizer(rbac).authorize,
    get: (_resource, name) => stored[name],
    list: () => [],
    suffix: () => "abcde",
    rbac,
  };
}

const JANE: UserInfo = { username: "jane", groups: ["dev"] };

function attempt(operation: Operation, resource: Resource, changed: Partial<Attempt> = {}): Attempt {
  const { object, current } = changed;
  const name = (object ?? current)?.metadata.name ?? "";
  return {
    operation,
    resource,
    subresource: "",
    namespace: "",
    name,
    user: JANE,
    object: undefined,
    current: undefined,
    ...changed,
  };
}

function refusalOf(tried: Attempt, asked: Questions = questions()): string | undefined {
  return PLUGINS.map((plugin) => plugin.judge(tried, asked)).find((refusal) => refusal !== undefined)?.message;
}

const object = (name: string, more: object = {}): KubeObject => ({
  kind: "",
  apiVersion: "",
  metadata: { name },
  ...more,
});

describe("NamespaceLifecycle", () => {
  const inside = { namespace: "ns", object: object("c") };

  it("refuses a create in a namespace that is missing or closing", () => {
    expect(refusalOf(attempt("CREATE", CONFIG_MAPS, inside))).toBe('namespaces "ns" not found');
    const closing = questions([], { ns: object("ns", { status: { phase: "Terminating" } }) });
    expect(refusalOf(attempt("CREATE", CONFIG_MAPS, inside), closing)).toMatch(/because it is being terminated$/);
    // kubectl drain and controllers look for this cause and stop; a message is for people.
    const message = "namespace ns is being terminated";
    expect(namespaceLifecycle.judge(attempt("CREATE", CONFIG_MAPS, inside), closing)?.causes).toEqual([
      { reason: "NamespaceTerminating", message, field: "metadata.namespace" },
    ]);
  });

  it("allows a create in a namespace that is there", () => {
    expect(refusalOf(attempt("CREATE", CONFIG_MAPS, inside), questions([], { ns: object("ns") }))).toBeUndefined();
  });

  it.each(["default", "kube-system", "kube-public"])("keeps %s", (name) => {
    expect(refusalOf(attempt("DELETE", NAMESPACES, { current: object(name) }))).toBe(
      "this namespace may not be deleted",
    );
  });

  it("lets others go", () => {
    expect(refusalOf(attempt("DELETE", NAMESPACES, { current: object("ns") }))).toBeUndefined();
  });
});

describe("the certificate plugins", () => {
  const signers = (verb: string, name: string): PolicyRule => ({
    verbs: [verb],
    apiGroups: ["certificates.k8s.io"],
    resources: ["signers"],
    resourceNames: [name],
  });
  const current = aCsr(withSigner("example.com/a"));
  const issued = { ...current, status: { certificate: "Y2VydA==" } };
  const approving = attempt("UPDATE", CSRS, { subresource: "approval", object: current, current });
  const signing = attempt("UPDATE", CSRS, { subresource: "status", object: issued, current });
  const noting = attempt("UPDATE", CSRS, { subresource: "status", object: current, current });

  it("ask for the right to approve the signer", () => {
    expect(refusalOf(approving)).toBe('user not permitted to approve requests with signerName "example.com/a"');
    expect(refusalOf(approving, questions([signers("approve", "example.com/a")]))).toBeUndefined();
    expect(refusalOf(approving, questions([signers("approve", "example.com/*")]))).toBeUndefined();
    expect(refusalOf(approving, questions([signers("approve", "example.com/b")]))).toBeDefined();
    expect(refusalOf(approving, questions([signers("sign", "example.com/a")]))).toBeDefined();
  });

  it("ask for the right to sign when certificate or conditions change, and only then", () => {
    expect(refusalOf(signing)).toBe('user not permitted to sign requests with signerName "example.com/a"');
    expect(refusalOf(signing, questions([signers("sign", "example.com/a")]))).toBeUndefined();
    expect(refusalOf(noting)).toBeUndefined();
  });

  it("go by the signer that is stored, not by the one that is sent", () => {
    const sent = aCsr(withSigner("example.com/b"));
    const tried = attempt("UPDATE", CSRS, { subresource: "approval", object: sent, current });
    expect(refusalOf(tried, questions([signers("approve", "example.com/b")]))).toBeDefined();
  });

  it("refuse system:masters for the general client signer", () => {
    const masters = withSubject({ commonName: "x", organizations: ["system:masters"] });
    const tried = (signer: string) => refusalOf(attempt("CREATE", CSRS, { object: aCsr(masters, withSigner(signer)) }));
    expect(tried("kubernetes.io/kube-apiserver-client")).toMatch(/system:masters group is not allowed$/);
    expect(tried("example.com/a")).toBeUndefined();
  });
});

describe("a user grants only what it holds", () => {
  const small: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
  const role = (rules: readonly PolicyRule[]) => attempt("CREATE", CLUSTER_ROLES, { object: object("r", { rules }) });
  const binding = (name: string) =>
    attempt("CREATE", CLUSTER_ROLE_BINDINGS, { object: object("b", { roleRef: { kind: "ClusterRole", name } }) });
  const right = (verb: string, resource: string): PolicyRule => ({
    verbs: [verb],
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: [resource],
  });

  it("in a role", () => {
    expect(refusalOf(role([small]), questions([small]))).toBeUndefined();
    expect(refusalOf(role([{ ...small, verbs: ["get", "delete"] }]), questions([small]))).toBe(
      'user "jane" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    );
    expect(refusalOf(role([small]), questions([right("escalate", "clusterroles")]))).toBeUndefined();
  });

  it("by a binding", () => {
    expect(refusalOf(binding("small"), questions([small]))).toBeUndefined();
    expect(refusalOf(binding("big"), questions([small]))).toMatch(/not currently held/);
    expect(refusalOf(binding("big"), questions([right("bind", "clusterroles")]))).toBeUndefined();
    expect(refusalOf(binding("gone"), questions([small]))).toMatch(/"gone" not found/);
  });

  it("by an aggregation", () => {
    const collecting = attempt("CREATE", CLUSTER_ROLES, { object: object("r", { aggregationRule: {}, rules: [] }) });
    expect(refusalOf(collecting, questions([small]))).toBe(
      "must have cluster-admin privileges to use the aggregationRule",
    );
  });

  it("but may rename what is already there", () => {
    const rules = [{ ...small, verbs: ["*"] }];
    const kept = object("r", { rules });
    expect(refusalOf(attempt("UPDATE", CLUSTER_ROLES, { object: kept, current: kept }))).toBeUndefined();
  });
});
