import { describe, expect, it } from "vitest";
import { aNodesAttempt, anAttempt, anObject } from "../../../../test/builders/attempt.ts";
import { aCsr, type CsrModifier, forNode, withSigner, wrapped } from "../../../../test/builders/csr.ts";
import {
  CONFIG_MAPS,
  CSI_NODES,
  CSRS,
  EVENTS,
  type KubeObject,
  LEASES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  RESOURCE_SLICES,
  type Resource,
} from "../../../api/meta/index.ts";
import type { Attempt, Operation } from "../../call.ts";
import type { Questions } from "../plugin.ts";
import { nodeRestriction } from "./index.ts";

const NOTHING = { get: () => undefined } as unknown as Questions;

function refusalOf(attempt: Attempt): string | undefined {
  return nodeRestriction.judge(attempt, NOTHING)?.message;
}

const tried = (operation: Operation, resource: Resource, changed: Partial<Attempt>) =>
  refusalOf(aNodesAttempt(operation, resource, changed));

describe("NodeRestriction", () => {
  it("does not look at users that are no nodes", () => {
    expect(refusalOf(anAttempt("CREATE", NODES, { object: anObject("n2") }))).toBeUndefined();
    const noGroup = { username: "system:node:n1", groups: ["system:authenticated"] };
    expect(refusalOf(anAttempt("CREATE", NODES, { object: anObject("n2"), user: noGroup }))).toBeUndefined();
  });

  it("refuses a node without a name", () => {
    const user = { username: "system:node:", groups: ["system:nodes"] };
    const text = 'could not determine node from user "system:node:"';
    expect(refusalOf(anAttempt("CREATE", EVENTS, { object: anObject("x"), user }))).toBe(text);
  });

  it("passes what it has no rule for", () => {
    expect(tried("CREATE", EVENTS, { object: anObject("x"), namespace: "ns" })).toBeUndefined();
    expect(tried("UPDATE", CONFIG_MAPS, { object: anObject("x"), current: anObject("x") })).toBeUndefined();
  });

  it("goes by group and plural, whichever version is asked for", () => {
    const beta = { ...LEASES, version: "v1beta1" };
    expect(tried("CREATE", beta, { object: anObject("n2"), namespace: "kube-node-lease" })).toBeDefined();
    const foreign = { ...LEASES, group: "example.com" };
    expect(tried("CREATE", foreign, { object: anObject("n2"), namespace: "ns" })).toBeUndefined();
  });

  it("lets nothing through behind a feature gate that is off", () => {
    const resource = { ...CSRS, plural: "podcertificaterequests", kind: "PodCertificateRequest", namespaced: true };
    expect(tried("CREATE", resource, { object: anObject("x") })).toBe("PodCertificateRequest feature gate is disabled");
  });
});

describe("a node and Nodes", () => {
  const create = (object: KubeObject) => tried("CREATE", NODES, { object });
  const update = (object: KubeObject, current: KubeObject, subresource = "") =>
    tried("UPDATE", NODES, { object, current, subresource });
  const spec = (more: object) => anObject("n1", { spec: more });
  const plain = anObject("n1");

  it("writes its own and no other", () => {
    const text = 'node "n1" is not allowed to modify node "n2"';
    expect(create(anObject("n1"))).toBeUndefined();
    expect(create(anObject("n2"))).toBe(text);
    expect(update(anObject("n2"), anObject("n2"))).toBe(text);
    expect(update(anObject("n2"), anObject("n2"), "status")).toBe(text);
    expect(tried("DELETE", NODES, { current: anObject("n2") })).toBe(text);
    expect(tried("DELETE", NODES, { current: anObject("n1") })).toBeUndefined();
    expect(create({ ...anObject(""), metadata: { generateName: "n1" } })).toMatch(/modify node ""$/);
  });

  it("sets taints when it registers and keeps them afterwards, through every endpoint", () => {
    const tainted = spec({ taints: [{ key: "a", effect: "NoSchedule" }] });
    const text = 'node "n1" is not allowed to modify taints';
    expect(create(tainted)).toBeUndefined();
    expect(update(plain, tainted)).toBe(text);
    expect(update(tainted, plain)).toBe(text);
    expect(update(tainted, plain, "status")).toBe(text);
    expect(update(spec({ taints: [{ key: "a", effect: "NoExecute" }] }), tainted)).toBe(text);
    expect(update(tainted, tainted)).toBeUndefined();
    expect(update(spec({ taints: [{ effect: "NoSchedule", key: "a", value: "" }] }), tainted)).toBeUndefined();
    expect(update(spec({ taints: [] }), plain)).toBeUndefined();
  });

  it("cannot choose its owners", () => {
    const reference = { apiVersion: "v1", kind: "X", name: "x", uid: "u" };
    const owned: KubeObject = { ...plain, metadata: { name: "n1", ownerReferences: [reference] } };
    const text = 'node "n1" is not allowed to modify ownerReferences';
    expect(update(owned, plain)).toBe(text);
    expect(update(plain, owned)).toBe(text);
    expect(update(owned, owned)).toBeUndefined();
  });

  it("cannot point to its own configuration, but may stop doing so", () => {
    const pointing = spec({ configSource: { configMap: { name: "a" } } });
    expect(create(pointing)).toBe('node "n1" is not allowed to create pods with a non-nil configSource');
    expect(update(pointing, plain)).toBe(
      'node "n1" is not allowed to update configSource to a new non-nil configSource',
    );
    expect(update(pointing, pointing)).toBeUndefined();
    expect(update(plain, pointing)).toBeUndefined();
  });

  const labelled = (labels: Record<string, string>): KubeObject => ({ ...plain, metadata: { name: "n1", labels } });
  const LABELS: Readonly<Record<string, boolean>> = {
    "kubernetes.io/hostname": true,
    "topology.kubernetes.io/zone": true,
    "topology.kubernetes.io/region": true,
    "failure-domain.beta.kubernetes.io/zone": true,
    "failure-domain.beta.kubernetes.io/region": true,
    "beta.kubernetes.io/instance-type": true,
    "node.kubernetes.io/instance-type": true,
    "kubernetes.io/os": true,
    "kubernetes.io/arch": true,
    "beta.kubernetes.io/os": true,
    "beta.kubernetes.io/arch": true,
    "node.kubernetes.io/anything": true,
    "x.node.kubernetes.io/y": true,
    "kubelet.kubernetes.io/y": true,
    "x.kubelet.kubernetes.io/y": true,
    "example.com/free": true,
    "kubernetes.io.example.com/free": true,
    "notkubernetes.io/free": true,
    plain: true,
    "kubernetes.io": true,
    "node-role.kubernetes.io/control-plane": false,
    "node-restriction.kubernetes.io/x": false,
    "x.node-restriction.kubernetes.io/x": false,
    "kubernetes.io/other": false,
    "topology.kubernetes.io/other": false,
    "beta.kubernetes.io/other": false,
    "k8s.io/x": false,
    "a.k8s.io/b": false,
  };
  it.each(Object.entries(LABELS))("may set, change and remove the label %s: %s", (label, isAllowed) => {
    const [one, two] = [labelled({ [label]: "1" }), labelled({ [label]: "2" })];
    const answers = [create(one), update(one, plain), update(two, one), update(plain, one)];
    expect(answers.map((answer) => answer === undefined)).toEqual([isAllowed, isAllowed, isAllowed, isAllowed]);
    expect(update(one, one)).toBeUndefined();
  });

  it("is told which labels it may not have, sorted", () => {
    const labels = { "b.k8s.io/x": "", "a.k8s.io/x": "", free: "" };
    expect(create(labelled(labels))).toBe(
      'node "n1" is not allowed to set the following labels: a.k8s.io/x, b.k8s.io/x',
    );
    expect(update(labelled(labels), plain)).toBe("is not allowed to modify labels: a.k8s.io/x, b.k8s.io/x");
  });
});

describe("a node and Leases", () => {
  const namespace = "kube-node-lease";
  it("writes its own and no other", () => {
    const text = "can only access node lease with the same name as the requesting node";
    expect(tried("CREATE", LEASES, { namespace, object: anObject("n1") })).toBeUndefined();
    expect(tried("CREATE", LEASES, { namespace, object: anObject("n2") })).toBe(text);
    expect(tried("CREATE", LEASES, { namespace, object: anObject("n2"), name: "n1" })).toBe(text);
    expect(tried("UPDATE", LEASES, { namespace, object: anObject("n1"), name: "n1" })).toBeUndefined();
    expect(tried("UPDATE", LEASES, { namespace, object: anObject("n2"), name: "n2" })).toBe(text);
    expect(tried("DELETE", LEASES, { namespace, current: anObject("n2") })).toBe(text);
  });

  it("writes none in another namespace", () => {
    const text = 'can only access leases in the "kube-node-lease" system namespace';
    expect(tried("CREATE", LEASES, { namespace: "default", object: anObject("n1") })).toBe(text);
  });
});

describe("a node and CSINodes", () => {
  it("writes its own and no other", () => {
    const text = "can only access CSINode with the same name as the requesting node";
    expect(tried("CREATE", CSI_NODES, { object: anObject("n1") })).toBeUndefined();
    expect(tried("CREATE", CSI_NODES, { object: anObject("n2") })).toBe(text);
    expect(tried("UPDATE", CSI_NODES, { object: anObject("n2") })).toBe(text);
    expect(tried("DELETE", CSI_NODES, { current: anObject("n1") })).toBeUndefined();
  });
});

describe("a node and ResourceSlices", () => {
  const slice = (nodeName?: string) => anObject("s", { spec: { nodeName } });
  it("creates and deletes those that name it", () => {
    const text = (verb: string) => `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
    expect(tried("CREATE", RESOURCE_SLICES, { object: slice("n1") })).toBeUndefined();
    expect(tried("CREATE", RESOURCE_SLICES, { object: slice("n2") })).toBe(text("create"));
    expect(tried("CREATE", RESOURCE_SLICES, { object: slice() })).toBe(text("create"));
    expect(tried("DELETE", RESOURCE_SLICES, { current: slice("n1") })).toBeUndefined();
    expect(tried("DELETE", RESOURCE_SLICES, { current: slice("n2") })).toBe(text("delete"));
    expect(tried("UPDATE", RESOURCE_SLICES, { object: slice("n1"), current: slice("n1") })).toBeUndefined();
  });
});

describe("a node and CertificateSigningRequests", () => {
  const csr = (...modifiers: readonly CsrModifier[]) => tried("CREATE", CSRS, { object: aCsr(...modifiers) });
  const own = "can only create a node CSR with CN=system:node:n1";

  it("asks the kubelet's signers for its own name only", () => {
    expect(csr(forNode("n1"))).toBeUndefined();
    expect(csr(forNode("n2"))).toBe(own);
    expect(csr(forNode("n1"), withSigner("kubernetes.io/kubelet-serving"))).toBeUndefined();
    expect(csr(forNode("n2"), withSigner("kubernetes.io/kubelet-serving"))).toBe(own);
  });

  it("asks other signers for whatever they give", () => {
    expect(csr(forNode("n2"), withSigner("example.com/other"))).toBeUndefined();
  });

  it("is refused what does not parse", () => {
    const text = "unable to parse csr: PEM block type must be CERTIFICATE REQUEST";
    expect(csr(wrapped(() => "x"))).toBe(text);
    expect(csr(wrapped((pem) => pem.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE")))).toBe(text);
  });

  it("is not looked at when it writes to a request that is there", () => {
    const object = aCsr(forNode("n2"));
    expect(tried("UPDATE", CSRS, { object, current: object })).toBeUndefined();
  });
});

describe("a node and PersistentVolumeClaims", () => {
  const claim = anObject("c", { spec: { volumeName: "v" }, status: { phase: "Bound", capacity: { storage: "1Gi" } } });
  const update = (object: KubeObject, subresource = "status") =>
    tried("UPDATE", PERSISTENT_VOLUME_CLAIMS, { object, current: claim, subresource, namespace: "ns" });
  const text = 'node "n1" is not allowed to update fields other than status.quantity and status.conditions: ';

  it("says how large a volume has become", () => {
    const grown = {
      ...claim,
      metadata: { ...claim.metadata, resourceVersion: "5", managedFields: [{}] },
      status: {
        phase: "Bound",
        capacity: { storage: "2Gi" },
        conditions: [{ type: "FileSystemResizePending" }],
        allocatedResources: { storage: "2Gi" },
        allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
      },
    } as KubeObject;
    expect(update(grown)).toBeUndefined();
  });

  it("changes nothing else", () => {
    expect(update({ ...claim, spec: { volumeName: "w" } } as KubeObject)).toBe(`${text}spec.volumeName`);
    expect(update({ ...claim, status: { phase: "Lost" } } as KubeObject)).toBe(`${text}status.phase`);
    expect(update({ ...claim, metadata: { name: "c", labels: { a: "b" } } })).toBe(`${text}metadata.labels`);
  });

  it("writes neither the claim itself nor a new one", () => {
    expect(update(claim, "")).toBe("may only update PVC status");
    expect(tried("CREATE", PERSISTENT_VOLUME_CLAIMS, { object: claim })).toBe("may only update PVC status");
    expect(tried("DELETE", PERSISTENT_VOLUME_CLAIMS, { current: claim })).toBe("may only update PVC status");
    expect(tried("CREATE", PERSISTENT_VOLUME_CLAIMS, { object: claim, subresource: "status" })).toBe(
      'unexpected operation "CREATE"',
    );
  });
});
