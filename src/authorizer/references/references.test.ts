import { describe, expect, it } from "vitest";
import type { RelatedObject } from "../facts.ts";
import { referencesOfVolume, type VolumeWithReferences } from "./persistent-volume.ts";
import { nodeOfPod, referencesOfPod } from "./pod.ts";
import type { PodWithReferences } from "./pod-shape.ts";

// Objects come from storage as JSON, so the tests write them as JSON: also such as no type allows.
const pod = (spec: unknown, status: unknown = {}, annotations: Record<string, string> = {}): PodWithReferences =>
  ({ kind: "Pod", apiVersion: "v1", metadata: { name: "p", namespace: "ns", annotations }, spec, status }) as never;
const show = ({ resource, namespace, name }: RelatedObject) => `${resource} ${namespace}/${name}`;
const referred = (spec: unknown, status?: unknown) => referencesOfPod(pod(spec, status)).map(show);
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const ref = (name: string) => ({ secretRef: { name } });
const envFrom = (container: string) => ({ [container]: [{ envFrom: [ref("s"), { configMapRef: { name: "c" } }] }] });
const env = (container: string) => ({
  [container]: [
    { env: [{ valueFrom: { secretKeyRef: { name: "s" } } }, { valueFrom: { configMapKeyRef: { name: "c" } } }] },
  ],
});

const SECRET = ["secrets ns/s"];
const BOTH = ["secrets ns/s", "configmaps ns/c"];

const FOUND: Readonly<Record<string, readonly [spec: unknown, references: readonly string[], status?: unknown]>> = {
  "its service account, mounted or not": [{ serviceAccountName: "a" }, ["serviceaccounts ns/a"]],
  "image pull secrets": [{ imagePullSecrets: [{ name: "s" }] }, SECRET],
  "environments of init containers": [envFrom("initContainers"), BOTH],
  "environments of containers": [envFrom("containers"), BOTH],
  "environments of ephemeral containers": [envFrom("ephemeralContainers"), BOTH],
  "variables of init containers": [env("initContainers"), BOTH],
  "variables of containers": [env("containers"), BOTH],
  "variables of ephemeral containers": [env("ephemeralContainers"), BOTH],
  "azureFile volumes": [volume({ azureFile: { secretName: "s" } }), SECRET],
  "cephfs volumes": [volume({ cephfs: ref("s") }), SECRET],
  "cinder volumes": [volume({ cinder: ref("s") }), SECRET],
  "flexVolume volumes": [volume({ flexVolume: ref("s") }), SECRET],
  "rbd volumes": [volume({ rbd: ref("s") }), SECRET],
  "secret volumes": [volume({ secret: { secretName: "s" } }), SECRET],
  "scaleIO volumes": [volume({ scaleIO: ref("s") }), SECRET],
  "iscsi volumes": [volume({ iscsi: ref("s") }), SECRET],
  "storageos volumes": [volume({ storageos: ref("s") }), SECRET],
  "csi volumes": [volume({ csi: { nodePublishSecretRef: { name: "s" } } }), SECRET],
  "projected volumes": [
    volume({ projected: { sources: [{ secret: { name: "s" } }, { configMap: { name: "c" } }] } }),
    BOTH,
  ],
  "configMap volumes": [volume({ configMap: { name: "c" } }), ["configmaps ns/c"]],
  claims: [volume({ persistentVolumeClaim: { claimName: "c" } }), ["persistentvolumeclaims ns/c"]],
  "claims of ephemeral volumes": [volume({ ephemeral: {} }), ["persistentvolumeclaims ns/p-v"]],
  "resource claims by name": [{ resourceClaims: [{ name: "r", resourceClaimName: "c" }] }, ["resourceclaims ns/c"]],
  "resource claims made from a template": [
    { resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }] },
    ["resourceclaims ns/c"],
    {
      resourceClaimStatuses: [
        { name: "other", resourceClaimName: "x" },
        { name: "r", resourceClaimName: "c" },
      ],
    },
  ],
  "the claim for extended resources": [
    {},
    ["resourceclaims ns/c"],
    { extendedResourceClaimStatus: { resourceClaimName: "c" } },
  ],
};

const NOT_FOUND: Readonly<Record<string, readonly [spec: unknown, status?: unknown]>> = {
  "empty names": [{ serviceAccountName: "", imagePullSecrets: [{ name: "" }, {}], ...volume({ secret: {} }) }],
  "a template's claim before it is made": [{ resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }] }],
  "a claim that the status names and the spec does not": [
    {},
    { resourceClaimStatuses: [{ name: "r", resourceClaimName: "c" }] },
  ],
  "a token that is projected": [volume({ projected: { sources: [{ serviceAccountToken: { audience: "a" } }] } })],
  "what is not of its type": [
    {
      serviceAccountName: 1,
      imagePullSecrets: "s",
      containers: [null, { env: [null], envFrom: [{ secretRef: "s" }] }],
    },
  ],
  "volumes that are none": [{ volumes: [null, "secret", { secret: null }, { projected: { sources: [null] } }] }],
  "no spec at all": [undefined],
};

describe("a pod refers to", () => {
  it.each(Object.entries(FOUND))("%s", (_what, [spec, references, status]) => {
    expect(referred(spec, status)).toEqual(references);
  });

  it("everything it names, in whichever way", () => {
    const spec = { serviceAccountName: "a", ...env("containers"), ...volume({ secret: { secretName: "t" } }) };
    expect(referred(spec)).toEqual(["serviceaccounts ns/a", "secrets ns/s", "secrets ns/t", "configmaps ns/c"]);
  });
});

describe("a pod does not refer to", () => {
  it.each(Object.entries(NOT_FOUND))("%s", (_what, [spec, status]) => {
    expect(referred(spec, status)).toEqual([]);
  });

  it.each(Object.entries(FOUND))("%s, when it is a mirror pod", (_what, [spec, , status]) => {
    expect(referencesOfPod(pod(spec, status, { "kubernetes.io/config.mirror": "" }))).toEqual([]);
  });
});

describe("a pod is bound to", () => {
  it("the node it names, or to none", () => {
    expect([{ nodeName: "n" }, {}, undefined, { nodeName: 1 }].map((spec) => nodeOfPod(pod(spec)))).toEqual([
      "n",
      "",
      "",
      "",
    ]);
  });
});

describe("a persistent volume opens", () => {
  const opened = (source: object) => {
    const spec = { claimRef: { namespace: "ns", name: "c" }, ...source };
    const stored = { kind: "PersistentVolume", apiVersion: "v1", metadata: {}, spec };
    return referencesOfVolume(stored as VolumeWithReferences)?.secrets.map(show);
  };
  const there = { secretRef: { name: "s", namespace: "b" } };
  const secrets: Readonly<Record<string, readonly [source: object, secrets: readonly string[]]>> = {
    "azureFile: a secret of the claim's namespace": [{ azureFile: { secretName: "s" } }, ["secrets ns/s"]],
    "azureFile: or of another": [{ azureFile: { secretName: "s", secretNamespace: "b" } }, ["secrets b/s"]],
    "cephfs: the claim's namespace": [{ cephfs: ref("s") }, ["secrets ns/s"]],
    "cephfs: or another": [{ cephfs: there }, ["secrets b/s"]],
    "flexVolume: the claim's namespace": [{ flexVolume: ref("s") }, ["secrets ns/s"]],
    "flexVolume: or another": [{ flexVolume: there }, ["secrets b/s"]],
    "rbd: the claim's namespace": [{ rbd: ref("s") }, ["secrets ns/s"]],
    "rbd: or another": [{ rbd: there }, ["secrets b/s"]],
    "scaleIO: the claim's namespace": [{ scaleIO: ref("s") }, ["secrets ns/s"]],
    "iscsi: another namespace": [{ iscsi: there }, ["secrets b/s"]],
    "cinder: only the namespace it names": [{ cinder: there }, ["secrets b/s"]],
    "storageos: only the namespace it names": [{ storageos: ref("s") }, ["secrets /s"]],
    "csi: what a kubelet needs, not what a controller needs": [
      {
        csi: {
          nodePublishSecretRef: { name: "p", namespace: "b" },
          nodeStageSecretRef: { name: "s", namespace: "b" },
          nodeExpandSecretRef: { name: "e", namespace: "b" },
          controllerPublishSecretRef: { name: "cp", namespace: "b" },
          controllerExpandSecretRef: { name: "ce", namespace: "b" },
        },
      },
      ["secrets b/p", "secrets b/s", "secrets b/e"],
    ],
    "a volume without secrets": [{ nfs: {} }, []],
    "what is not of its type": [{ azureFile: null, claimRef: "x" }, []],
  };
  it.each(Object.entries(secrets))("%s", (_what, [source, expected]) => {
    expect(opened(source)).toEqual(expected);
  });

  it("nothing before a claim has it", () => {
    expect(opened({ cephfs: there, claimRef: undefined })).toBeUndefined();
  });
});
