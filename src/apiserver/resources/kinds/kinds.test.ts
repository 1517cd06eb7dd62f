import { describe, expect, it } from "vitest";
import type { ClusterRole, RoleBinding } from "../../../api/access/index.ts";
import type { KubeObject, ObjectMeta } from "../../../api/meta/index.ts";
import { describeError, type FieldError } from "../field-error.ts";
import { metaForCreate, metaForUpdate, validateMeta, validateMetaUpdate } from "../metadata.ts";
import { dnsSubdomain } from "../names.ts";
import { META_SHAPE, shapeProblem } from "../shape.ts";
import { eventStrategy } from "./event.ts";
import { configMapStrategy, secretStrategy } from "./key-value.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from "./rbac.ts";
import { leaseStrategy } from "./workings.ts";

const FACTS = { user: { username: "jane", groups: [] }, nowMs: Date.UTC(2026, 0, 2), list: () => [] };
const texts = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${describeError(error)}`);
const base = <T extends KubeObject>(more: object): T =>
  ({ kind: "", apiVersion: "", metadata: { name: "x" }, ...more }) as unknown as T;

describe("metadata", () => {
  const problems = (meta: ObjectMeta) => texts(validateMeta(meta, configMapStrategy.resource, dnsSubdomain));

  const bad: Record<string, [ObjectMeta, RegExp]> = {
    "no name": [{}, /^metadata.name: Required value: name or generateName is required$/],
    "a bad name": [{ name: "A_b" }, /^metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain/],
    "a long name": [{ name: "a".repeat(254) }, /must be no more than 253 bytes$/],
    "a bad label key": [{ name: "x", labels: { "a b": "c" } }, /^metadata.labels: Invalid value: "a b"/],
    "a bad label value": [{ name: "x", labels: { a: "b c" } }, /^metadata.labels: Invalid value: "b c"/],
    "a bad annotation key": [
      { name: "x", annotations: { "a/b/c": "" } },
      /^metadata.annotations: Invalid value: "a\/b\/c"/,
    ],
    "annotations too large": [
      { name: "x", annotations: { a: "é".repeat(131_072) } },
      /Too long: may not be more than 262144 bytes$/,
    ],
    "a bad finalizer": [{ name: "x", finalizers: ["no spaces"] }, /^metadata.finalizers: Invalid value/],
    "an owner without a uid": [
      { name: "x", ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "" }] },
      /^metadata.ownerReferences.uid: Invalid value: "": must not be empty$/,
    ],
  };
  it.each(Object.entries(bad))("refuses %s", (_name, [meta, text]) => {
    expect(problems(meta)).toEqual([expect.stringMatching(text)]);
  });

  it("takes what Kubernetes takes", () => {
    const annotations = { "Foo.example/x": "\u0000\n☃", "a.b/c_d": "" };
    expect(problems({ name: "a.b-c", labels: { "a.b/c": "" }, annotations, finalizers: ["example.com/hold"] })).toEqual(
      [],
    );
  });

  it("is the server's where it must be", () => {
    const sent = {
      name: "x",
      uid: "mine",
      creationTimestamp: "1999-01-01T00:00:00Z",
      resourceVersion: "7",
      deletionTimestamp: "x",
    };
    expect(metaForCreate(sent, { uid: "u", nowMs: 0 })).toEqual({
      name: "x",
      uid: "u",
      creationTimestamp: "1970-01-01T00:00:00Z",
    });
    const current = { name: "x", uid: "u", creationTimestamp: "t", resourceVersion: "3" };
    expect(metaForUpdate({ ...sent, uid: "" }, current)).toEqual(current);
  });

  it("does not change its identity, nor gain finalizers while it goes", () => {
    const current = { name: "x", uid: "u", deletionTimestamp: "t", finalizers: ["a.b/c"] };
    expect(texts(validateMetaUpdate({ ...current, uid: "v" }, current))).toEqual([
      'metadata.uid: Invalid value: "v": field is immutable',
    ]);
    expect(texts(validateMetaUpdate({ ...current, finalizers: ["a.b/c", "d.e/f"] }, current))[0]).toMatch(
      /^metadata.finalizers: Forbidden: no new finalizers can be added/,
    );
  });
});

describe("shapes", () => {
  const problem = (value: unknown) => shapeProblem({ metadata: META_SHAPE, data: { "*": "bytes" } }, value, "Secret");
  it("name what does not fit", () => {
    expect(problem({ metadata: { labels: { a: 1 } } })).toBe(
      "json: cannot unmarshal number into Go struct field Secret.metadata.labels of type string",
    );
    expect(problem({ metadata: [] })).toMatch(/cannot unmarshal array/);
    expect(problem({ metadata: { creationTimestamp: "yesterday" } })).toMatch(/not RFC 3339/);
    expect(problem({ metadata: { generation: 1.5 } })).toMatch(/of type int64$/);
    expect(problem({ data: { a: "*" } })).toMatch(/illegal base64/);
    expect(problem({ data: { a: "YQ=" } })).toMatch(/illegal base64/);
  });

  it("let the unknown pass", () => {
    expect(problem({ metadata: { selfLink: 1 }, constructor: 1, data: { a: "YQ==" } })).toBeUndefined();
  });
});

describe("Secret and ConfigMap", () => {
  it("fold stringData into data", () => {
    const prepared = secretStrategy.prepareCreate(base({ data: { a: "YQ==" }, stringData: { a: "b", c: "é" } }), FACTS);
    expect(prepared).toMatchObject({ type: "Opaque", data: { a: "Yg==", c: "w6k=" } });
    expect(prepared).not.toHaveProperty("stringData");
  });

  it("hold at most one MiB", () => {
    const fits = base<Parameters<typeof configMapStrategy.validateCreate>[0]>({ data: { a: "x".repeat(1_048_576) } });
    expect(configMapStrategy.validateCreate(fits)).toEqual([]);
    expect(texts(configMapStrategy.validateCreate(base({ data: { a: "x".repeat(1_048_577) } })))[0]).toMatch(
      /Too long/,
    );
    const bytes = Buffer.alloc(1_048_577).toString("base64");
    expect(texts(secretStrategy.validateCreate(base({ data: { a: bytes } })))[0]).toMatch(/^data: Too long/);
  });

  it("stay as they are once immutable, and a Secret keeps its type", () => {
    const fixed = base<Parameters<typeof configMapStrategy.validateUpdate>[0]>({ immutable: true, data: { a: "b" } });
    expect(texts(configMapStrategy.validateUpdate(base({ immutable: true, data: { a: "c" } }), fixed))).toEqual([
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
    expect(texts(configMapStrategy.validateUpdate(base({ data: { a: "b" } }), fixed))[0]).toMatch(
      /^immutable: Forbidden/,
    );
    expect(texts(secretStrategy.validateUpdate(base({ type: "a" }), base({ type: "b" })))).toEqual([
      'type: Invalid value: "a": field is immutable',
    ]);
  });

  it("refuse keys that are no file names", () => {
    for (const key of ["a/b", "..", "..x", ""]) {
      expect(configMapStrategy.validateCreate(base({ data: { [key]: "" } }))).toHaveLength(1);
    }
  });
});

describe("Node", () => {
  const cells = (more: object) => nodeStrategy.table.cells(base(more), FACTS.nowMs);
  it("shows what kubectl get nodes shows", () => {
    const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });
    expect(cells({}).slice(0, 5)).toEqual(["x", "Unknown", "<none>", "<unknown>", ""]);
    expect(cells({ status: ready("True"), spec: { unschedulable: true } })[1]).toBe("Ready,SchedulingDisabled");
    expect(cells({ status: ready("Unknown") })[1]).toBe("NotReady");
    const labels = {
      "node-role.kubernetes.io/worker": "",
      "node-role.kubernetes.io/etcd": "",
      "kubernetes.io/role": "x",
    };
    expect(cells({ metadata: { name: "x", labels } })[2]).toBe("etcd,worker,x");
    const nodeInfo = { kernelVersion: "6.1", architecture: "amd64" };
    expect(cells({ status: { nodeInfo } })[8]).toBe("6.1 (amd64)");
  });

  it("starts with the taint of a node that has not proved ready", () => {
    const { spec } = nodeStrategy.prepareCreate(base({ spec: { taints: [{ key: "a", effect: "NoExecute" }] } }), FACTS);
    expect(spec?.taints).toEqual([
      { key: "a", effect: "NoExecute" },
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    ]);
  });

  it("keeps spec and status apart, and its machine", () => {
    const current = base<Parameters<typeof nodeStrategy.prepareUpdate>[0]>({
      spec: { providerID: "a://1" },
      status: { addresses: [] },
    });
    const sent = base<typeof current>({ spec: {}, status: { conditions: [] } });
    expect(nodeStrategy.prepareUpdate(sent, current, FACTS)).toMatchObject({ spec: {}, status: { addresses: [] } });
    expect(nodeStrategy.subresources[0]?.prepareUpdate(sent, current, FACTS)).toMatchObject({
      spec: { providerID: "a://1" },
      status: { conditions: [] },
    });
    expect(texts(nodeStrategy.validateUpdate(sent, current))[0]).toMatch(/^spec.providerID: Forbidden/);
  });
});

describe("the small ones", () => {
  it("a Namespace carries its name as a label, and cannot be told its phase", () => {
    const sent = base<Parameters<typeof namespaceStrategy.prepareCreate>[0]>({ status: { phase: "Terminating" } });
    expect(namespaceStrategy.prepareCreate(sent, FACTS)).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "x" } },
      status: { phase: "Active" },
    });
  });

  it("a Lease lasts longer than nothing", () => {
    expect(texts(leaseStrategy.validateCreate(base({ spec: { leaseDurationSeconds: 0 } })))).toEqual([
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    ]);
  });

  it("an Event lives where its object lives", () => {
    const event = (about: object, namespace: string) =>
      texts(eventStrategy.validateCreate(base({ metadata: { name: "e", namespace }, involvedObject: about })));
    expect(event({}, "default")).toEqual([]);
    expect(event({}, "kube-system")).toEqual([expect.stringMatching(/does not match event.namespace$/)]);
    expect(event({ namespace: "a" }, "a")).toEqual([]);
    expect(event({}, "a")).toEqual(['involvedObject.namespace: Invalid value: "": does not match event.namespace']);
    expect(event({ namespace: "b" }, "a")).toHaveLength(1);
  });
});

describe("RBAC kinds", () => {
  it("rules are about resources or about URLs", () => {
    const role = (rule: object) => texts(clusterRoleStrategy.validateCreate(base<ClusterRole>({ rules: [rule] })));
    expect(role({ verbs: ["get"], apiGroups: [""], resources: ["pods"] })).toEqual([]);
    expect(role({ verbs: ["get"], nonResourceURLs: ["/x"] })).toEqual([]);
    expect(role({ verbs: [], apiGroups: [""], resources: ["pods"] })).toEqual([
      "rules[0].verbs: Required value: verbs must contain at least one value",
    ]);
    expect(role({ verbs: ["get"] })).toHaveLength(2);
    expect(role({ verbs: ["get"], resources: ["pods"], nonResourceURLs: ["/x"] })[0]).toMatch(/cannot apply to both/);
    expect(
      texts(roleStrategy.validateCreate(base({ rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] })))[0],
    ).toMatch(/namespaced rules cannot apply to non-resource URLs$/);
  });

  it("bindings get their groups, and keep their role", () => {
    const sent = base<RoleBinding>({ roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "User", name: "u" }] });
    const prepared = roleBindingStrategy.prepareCreate(sent, FACTS);
    expect(prepared.roleRef.apiGroup).toBe("rbac.authorization.k8s.io");
    expect(prepared.subjects?.[0]?.apiGroup).toBe("rbac.authorization.k8s.io");
    expect(roleBindingStrategy.validateCreate(prepared)).toEqual([]);
    expect(texts(clusterRoleBindingStrategy.validateCreate(prepared))[0]).toMatch(
      /^roleRef.kind: Unsupported value: "Role"/,
    );
    const other = { ...prepared, roleRef: { ...prepared.roleRef, name: "s" } };
    expect(texts(roleBindingStrategy.validateUpdate(other, prepared))[0]).toMatch(/cannot change roleRef$/);
  });

  it("a service account in a cluster binding needs its namespace", () => {
    const binding = (subject: object) =>
      base<RoleBinding>({
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
        subjects: [subject],
      });
    expect(texts(clusterRoleBindingStrategy.validateCreate(binding({ kind: "ServiceAccount", name: "a" })))).toEqual([
      "subjects[0].namespace: Required value",
    ]);
    expect(clusterRoleBindingStrategy.validateCreate(binding({ kind: "Dog", name: "a" }))).toHaveLength(1);
    expect(clusterRoleBindingStrategy.validateCreate(binding({ kind: "constructor", name: "a" }))).toHaveLength(1);
  });
});
