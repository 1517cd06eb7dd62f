import { describe, expect, it } from "vitest";
import { aNodesAttempt, anObject } from "../../../../../test/builders/attempt.ts";
import { type KubeObject, NODES, type OwnerReference, PODS } from "../../../../api/meta/index.ts";
import type { Attempt, Operation } from "../../../call.ts";
import type { Questions } from "../../plugin.ts";
import { nodeRestriction } from "../index.ts";

/** Node n1 and, in namespace ns, one pod on each of n1 and n2. */
const stored: Readonly<Record<string, KubeObject>> = {
  "nodes/n1": { ...anObject("n1"), metadata: { name: "n1", uid: "uid-n1" } },
  "pods/ns/mine": anObject("mine", { spec: { nodeName: "n1" } }),
  "pods/ns/theirs": anObject("theirs", { spec: { nodeName: "n2" } }),
};
const questions = (objects = stored) =>
  ({
    get: ({ plural }: { plural: string }, name: string, namespace = "") =>
      objects[[plural, namespace, name].filter((part) => part !== "").join("/")],
  }) as unknown as Questions;

const tried = (operation: Operation, changed: Partial<Attempt>, asked = questions()) =>
  nodeRestriction.judge(aNodesAttempt(operation, PODS, { namespace: "ns", ...changed }), asked)?.message;

const OWNER: OwnerReference = { apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-n1", controller: true };
const MIRROR = { "kubernetes.io/config.mirror": "hash" };

interface Changes {
  readonly annotations?: Record<string, string>;
  readonly owners?: OwnerReference[];
  readonly spec?: unknown;
}

/** A mirror pod that a kubelet would create, changed. */
function mirrorPod({ annotations = MIRROR, owners = [OWNER], spec = {} }: Changes = {}): KubeObject {
  const whole = typeof spec === "object" ? { nodeName: "n1", ...spec } : spec;
  const metadata = { name: "m", annotations, ownerReferences: owners };
  return { kind: "Pod", apiVersion: "v1", metadata, spec: whole } as KubeObject;
}
const created = (changes: Changes) => tried("CREATE", { object: mirrorPod(changes) });

describe("a node creates", () => {
  it("a mirror of a pod that runs on it", () => {
    expect(created({})).toBeUndefined();
  });

  const REFUSED: Readonly<Record<string, readonly [Changes, string]>> = {
    "any other pod": [
      { annotations: {} },
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    "a pod for another node": [
      { spec: { nodeName: "n2" } },
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    "a pod for no node": [
      { spec: { nodeName: undefined } },
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    "a pod with two owners": [
      { owners: [OWNER, OWNER] },
      'node "n1" can only create pods with a single owner reference set to itself',
    ],
    "a pod without an owner": [{ owners: [] }, 'node "n1" can only create pods with an owner reference set to itself'],
    "another node's pod": [
      { owners: [{ ...OWNER, name: "n2" }] },
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    "the pod of something that is no node": [
      { owners: [{ ...OWNER, kind: "DaemonSet", apiVersion: "apps/v1" }] },
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    "a pod that it does not control": [
      { owners: [{ ...OWNER, controller: false }] },
      'node "n1" can only create pods with a controller owner reference set to itself',
    ],
    "a pod that holds up its own deletion": [
      { owners: [{ ...OWNER, blockOwnerDeletion: true }] },
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    "a pod of a node that was here before it": [
      { owners: [{ ...OWNER, uid: "old" }] },
      "node n1 UID mismatch: expected old got uid-n1",
    ],
  };
  it.each(Object.entries(REFUSED))("not %s", (_what, [changes, text]) => {
    expect(created(changes)).toBe(text);
  });

  it("nothing before it is registered", () => {
    const refusal = nodeRestriction.judge(
      aNodesAttempt("CREATE", PODS, { namespace: "ns", object: mirrorPod() }),
      questions({}),
    );
    expect(refusal?.missing).toEqual({ resource: { ...NODES, plural: "node" }, name: "n1" });
  });
});

describe("a mirror pod", () => {
  const withVolume = (source: object) => created({ spec: { volumes: [{ name: "v", ...source }] } });
  const projecting = (source: object) => withVolume({ projected: { sources: [source] } });
  const refers = (what: string) => `node "n1" can not create pods that reference ${what}`;
  const container = (name: string, more: object) => ({ spec: { [name]: [more] } });
  const ref = { secretRef: { name: "s" } };

  const REFERRING: Readonly<Record<string, readonly [string | undefined, string]>> = {
    "a service account": [created({ spec: { serviceAccountName: "a" } }), "serviceaccounts"],
    "a service account by its old name": [created({ spec: { serviceAccount: "a" } }), "serviceaccounts"],
    "a pull secret": [created({ spec: { imagePullSecrets: [{ name: "s" }] } }), "secrets"],
    "a secret in an environment": [created(container("containers", { envFrom: [ref] })), "secrets"],
    "a secret in an init container": [created(container("initContainers", { envFrom: [ref] })), "secrets"],
    "a secret in an ephemeral container": [created(container("ephemeralContainers", { envFrom: [ref] })), "secrets"],
    "a configmap in a variable": [
      created(container("containers", { env: [{ valueFrom: { configMapKeyRef: { name: "c" } } }] })),
      "configmaps",
    ],
    "a resource claim": [created({ spec: { resourceClaims: [{ name: "r" }] } }), "resourceclaims"],
    "resource claims that are no list": [created({ spec: { resourceClaims: { name: "r" } } }), "resourceclaims"],
    "a secret volume": [withVolume({ secret: { secretName: "s" } }), "secrets"],
    "a secret volume without a name": [withVolume({ secret: {} }), "secrets (via secret volumes)"],
    "a configmap volume without a name": [withVolume({ configMap: {} }), "configmaps (via configmap volumes)"],
    "a csi volume": [withVolume({ csi: { driver: "d" } }), "csidrivers (via CSI volumes)"],
    "a glusterfs volume": [withVolume({ glusterfs: { endpoints: "e" } }), "endpoints (via glusterFS volumes)"],
    "a claim": [withVolume({ persistentVolumeClaim: { claimName: "c" } }), "persistentvolumeclaims"],
    "an ephemeral volume": [withVolume({ ephemeral: {} }), "persistentvolumeclaims (via ephemeral volumes)"],
    "an azureFile volume": [withVolume({ azureFile: {} }), "secrets (via azureFile volumes)"],
    "a cephfs volume with a secret": [withVolume({ cephfs: ref }), "secrets"],
    "a second source beside a harmless one": [withVolume({ emptyDir: {}, secret: {} }), "secrets (via secret volumes)"],
    "a projected configmap": [projecting({ configMap: {} }), "configmaps (via projected volumes)"],
    "a projected secret": [projecting({ secret: {} }), "secrets (via projected volumes)"],
    "a projected token": [projecting({ serviceAccountToken: {} }), "serviceaccounts (via projected volumes)"],
    "a projected trust bundle": [projecting({ clusterTrustBundle: {} }), "clustertrustbundles"],
    "a projected certificate": [projecting({ podCertificate: {} }), "podcertificates"],
  };
  it.each(Object.entries(REFERRING))("does not refer to %s", (_what, [answer, what]) => {
    expect(answer).toBe(refers(what));
  });

  const UNCLEAR: Readonly<Record<string, readonly [string | undefined, string]>> = {
    "a volume of a new type": [withVolume({ hologram: {} }), 'unknown volume type for volume  "v"'],
    "a projection of a new type": [projecting({ hologram: {} }), 'unknown source for projected volume "v"'],
    "an empty projection": [projecting({}), 'unknown source for projected volume "v"'],
    "volumes that are no list": [created({ spec: { volumes: { secret: {} } } }), "spec.volumes is not a list"],
  };
  it.each(Object.entries(UNCLEAR))("does not have %s", (_what, [answer, text]) => {
    expect(answer).toBe(`error checking mirror pod for API references: ${text}`);
  });

  const HARMLESS = ["hostPath", "emptyDir", "downwardAPI", "nfs", "image", "iscsi", "cephfs", "fc", "gitRepo", "rbd"];
  it.each(HARMLESS)("may have %s volumes", (source) => {
    expect(withVolume({ [source]: {} })).toBeUndefined();
  });

  it("may have a volume without a source, and a projection of its own fields", () => {
    expect(withVolume({})).toBeUndefined();
    expect(projecting({ downwardAPI: {} })).toBeUndefined();
  });
});

describe("a node", () => {
  it("deletes pods that are bound to it", () => {
    expect(tried("DELETE", { current: stored["pods/ns/mine"] })).toBeUndefined();
    expect(tried("DELETE", { current: stored["pods/ns/theirs"] })).toBe(
      'node "n1" can only delete pods with spec.nodeName set to itself',
    );
    expect(tried("DELETE", { current: anObject("waiting") })).toMatch(/can only delete pods/);
  });

  it("changes no pod", () => {
    const pod = stored["pods/ns/mine"];
    expect(tried("UPDATE", { current: pod, object: pod })).toBe(
      'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
    );
  });

  it.each(["binding", "ephemeralcontainers", "exec", "resize"])("writes nothing to pods/%s", (subresource) => {
    expect(tried("UPDATE", { object: stored["pods/ns/mine"], subresource })).toBe(
      `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`,
    );
  });
});

describe("a node reports the status of", () => {
  const pod = (more: object = {}, labels: Record<string, string> = { a: "b" }, nodeName = "n1"): KubeObject =>
    ({ kind: "", apiVersion: "", metadata: { name: "p", labels }, spec: { nodeName }, status: more }) as KubeObject;
  const update = (object: KubeObject, current: KubeObject) =>
    tried("UPDATE", { object, current, subresource: "status" });
  const claims = { resourceClaimStatuses: [{ name: "r", resourceClaimName: "c" }] };
  const extended = { extendedResourceClaimStatus: { resourceClaimName: "c", requestMappings: [] } };

  it("pods that are bound to it", () => {
    expect(update(pod({ phase: "Running" }), pod())).toBeUndefined();
    expect(update(pod({ ...claims, phase: "Running" }), pod(claims))).toBeUndefined();
    const text = 'node "n1" can only update pod status for pods with spec.nodeName set to itself';
    expect(update(pod(), pod({}, {}, "n2"))).toBe(text);
    expect(update(pod(), pod({}, {}, ""))).toBe(text);
  });

  it("but does not change labels by that", () => {
    expect(update(pod({}, { a: "c" }), pod())).toBe('node "n1" cannot update labels through pod status');
  });

  it("but does not give itself claims by that", () => {
    const text = 'node "n1" cannot update resource claim statues';
    expect(update(pod(claims), pod())).toBe(text);
    expect(update(pod(), pod(claims))).toBe(text);
    expect(update(pod(extended), pod())).toBe('node "n1" cannot update extended resource claim status');
  });

  it("nothing by another operation", () => {
    expect(tried("CREATE", { object: pod(), subresource: "status" })).toBe('unexpected operation "CREATE"');
  });
});

describe("a node evicts", () => {
  const evict = (changed: Partial<Attempt>) => tried("CREATE", { subresource: "eviction", ...changed });

  it("pods that are bound to it", () => {
    expect(evict({ name: "mine", object: anObject("mine") })).toBeUndefined();
    expect(evict({ name: "", object: anObject("mine") })).toBeUndefined();
    expect(evict({ name: "theirs", object: anObject("mine") })).toBe(
      "node n1 can only evict pods with spec.nodeName set to itself",
    );
    expect(evict({ name: "none", object: anObject("none") })).toBe('pod "none" not found');
    expect(evict({ name: "mine", namespace: "other", object: anObject("mine") })).toBe('pod "mine" not found');
  });

  it("nothing that it does not name, nor in another way", () => {
    expect(evict({ name: "", object: anObject("") })).toBe("could not determine pod from request data");
    expect(tried("UPDATE", { subresource: "eviction", name: "mine" })).toBe("unexpected operation UPDATE");
  });
});
