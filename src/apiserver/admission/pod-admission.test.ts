import { describe, expect, it } from "vitest";
import { anAttempt, anObject } from "../../../test/builders/attempt.ts";
import type { Pod } from "../../api/core/index.ts";
import {
  type KubeObject,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  PRIORITY_CLASSES,
  type Resource,
} from "../../api/meta/index.ts";
import type { Attempt } from "../call.ts";
import type { Plugin, Questions } from "./plugin.ts";
import { defaultTolerationSeconds, priority } from "./pod-defaults.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { claimResize, defaultStorageClass } from "./storage-class.ts";

/** What is stored, by `<plural>/<namespace>/<name>`. */
function questions(stored: Readonly<Record<string, KubeObject>>): Questions {
  const keyOf = ({ plural }: Resource, name: string, namespace = "") => `${plural}/${namespace}/${name}`;
  return {
    authorize: () => ({ kind: "NoOpinion", reason: "" }) as never,
    get: (resource, name, namespace) => stored[keyOf(resource, name, namespace)],
    list: ({ plural }) =>
      Object.entries(stored).flatMap(([key, object]) => (key.startsWith(`${plural}/`) ? [object] : [])),
    suffix: () => "abcde",
    rbac: {} as never,
  };
}

const ACCOUNTS = {
  "serviceaccounts/n/default": anObject("default"),
  "serviceaccounts/n/quiet": anObject("quiet", { automountServiceAccountToken: false }),
  "serviceaccounts/n/puller": anObject("puller", { imagePullSecrets: [{ name: "pull" }] }),
};

const create = (spec: object, annotations: Record<string, string> = {}): Attempt =>
  anAttempt("CREATE", PODS, {
    namespace: "n",
    object: {
      ...anObject("p", { spec: { containers: [{ name: "c" }], ...spec } }),
      metadata: { name: "p", annotations },
    },
  });

function admit(plugin: Plugin, tried: Attempt, stored: Readonly<Record<string, KubeObject>>) {
  const asked = questions(stored);
  const object = plugin.change?.(tried, asked) ?? tried.object;
  const refusal = plugin.judge({ ...tried, object }, asked);
  return { spec: (object as Pod | undefined)?.spec ?? {}, refused: refusal?.message };
}

describe("ServiceAccount", () => {
  const of = (spec: object, annotations?: Record<string, string>) =>
    admit(serviceAccount, create(spec, annotations), ACCOUNTS);
  const MIRROR = { "kubernetes.io/config.mirror": "x" };

  it("gives every pod an account and mounts its token", () => {
    const { spec, refused } = of({ initContainers: [{ name: "i" }] });
    const mount = {
      name: "kube-api-access-abcde",
      readOnly: true,
      mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    };
    expect(refused).toBeUndefined();
    expect(spec).toMatchObject({
      serviceAccountName: "default",
      containers: [{ volumeMounts: [mount] }],
      initContainers: [{ volumeMounts: [mount] }],
    });
    expect(spec.volumes).toEqual([
      {
        name: "kube-api-access-abcde",
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
              },
            },
          ],
        },
      },
    ]);
  });

  it("mounts nothing where pod or account do not want it", () => {
    expect(of({ automountServiceAccountToken: false }).spec.volumes).toBeUndefined();
    expect(of({ serviceAccountName: "quiet" }).spec.volumes).toBeUndefined();
    expect(of({ serviceAccountName: "quiet", automountServiceAccountToken: true }).spec.volumes).toHaveLength(1);
  });

  it("leaves a container alone that mounts something of its own there", () => {
    const own = { name: "mine", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
    expect(of({ containers: [{ name: "c", volumeMounts: [own] }] }).spec.volumes).toBeUndefined();
  });

  it("hands on the secrets of the account for pulling images", () => {
    expect(of({ serviceAccountName: "puller" }).spec.imagePullSecrets).toEqual([{ name: "pull" }]);
    const own = { serviceAccountName: "puller", imagePullSecrets: [{ name: "own" }] };
    expect(of(own).spec.imagePullSecrets).toEqual([{ name: "own" }]);
  });

  it("refuses an account that is not there, also one of another namespace", () => {
    const text = 'error looking up service account n/none: serviceaccount "none" not found';
    expect(of({ serviceAccountName: "none" }).refused).toBe(text);
    const elsewhere = { "serviceaccounts/other/none": anObject("none") };
    expect(admit(serviceAccount, create({ serviceAccountName: "none" }), elsewhere).refused).toBe(text);
  });

  it("keeps mirror pods as they are, without an account", () => {
    expect(of({}, MIRROR)).toEqual({ spec: { containers: [{ name: "c" }] }, refused: undefined });
    expect(of({ serviceAccountName: "default" }, MIRROR).refused).toMatch(/may not reference service accounts$/);
    expect(of({ volumes: [{ name: "s", secret: { secretName: "s" } }] }, MIRROR).refused).toMatch(/reference secrets$/);
    const token = { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } };
    expect(of({ volumes: [token] }, MIRROR).refused).toMatch(/may not use ServiceAccountToken volume projections$/);
  });

  it("looks at new pods only", () => {
    const tried = create({ serviceAccountName: "none" });
    expect(admit(serviceAccount, { ...tried, operation: "UPDATE" }, {}).refused).toBeUndefined();
    expect(admit(serviceAccount, { ...tried, subresource: "binding" }, {}).refused).toBeUndefined();
  });
});

describe("Priority", () => {
  const classes = {
    "priorityclasses//high": anObject("high", { value: 1000, preemptionPolicy: "Never" }),
    "priorityclasses//usual": anObject("usual", { value: 5, globalDefault: true }),
  };
  it("gives a pod the number of its class", () => {
    expect(admit(priority, create({ priorityClassName: "high" }), classes).spec).toMatchObject({
      priority: 1000,
      preemptionPolicy: "Never",
    });
    expect(admit(priority, create({}), classes).spec).toMatchObject({ priority: 5, priorityClassName: "usual" });
    expect(admit(priority, create({}), {}).spec).toMatchObject({
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
    });
  });
  it("refuses another number, and a class that is not there", () => {
    expect(admit(priority, create({ priority: 7 }), {}).refused).toMatch(
      /^the integer value of priority \(7\) must not/,
    );
    expect(admit(priority, create({ priority: 0 }), {}).refused).toBeUndefined();
    expect(admit(priority, create({ priorityClassName: "none" }), {}).refused).toBe(
      "no PriorityClass with name none was found",
    );
  });
  it("lets there be one default", () => {
    const second = anAttempt("CREATE", PRIORITY_CLASSES, { object: anObject("second", { globalDefault: true }) });
    expect(admit(priority, second, classes).refused).toBe(
      "PriorityClass usual is already marked as default. Only one default can exist",
    );
    expect(admit(priority, second, {}).refused).toBeUndefined();
  });
});

describe("DefaultTolerationSeconds", () => {
  it("gives five minutes for each trouble that is not spoken of", () => {
    const keys = (tolerations: readonly object[]) =>
      admit(defaultTolerationSeconds, create({ tolerations }), {}).spec.tolerations?.map(({ key }) => key);
    expect(keys([])).toEqual(["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]);
    expect(keys([{ operator: "Exists" }])).toEqual([undefined]);
    expect(keys([{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }])).toHaveLength(2);
    expect(keys([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }])).toHaveLength(3);
  });
});

describe("the storage class of a claim", () => {
  const marked = (name: string, creationTimestamp: string): KubeObject => ({
    ...anObject(name, { allowVolumeExpansion: true }),
    metadata: { name, creationTimestamp, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  });
  const classes = {
    "storageclasses//old": marked("old", "2026-01-01T00:00:00Z"),
    "storageclasses//new": marked("new", "2026-01-02T00:00:00Z"),
    "storageclasses//fixed": anObject("fixed"),
  };
  const claim = (spec: object, phase = "Bound") => anObject("c", { spec, status: { phase } });
  const sized = (storage: string, storageClassName = "new") => ({
    storageClassName,
    resources: { requests: { storage } },
  });

  it("is the newest default, unless it is named", () => {
    const of = (spec: object) =>
      admit(defaultStorageClass, anAttempt("CREATE", PERSISTENT_VOLUME_CLAIMS, { object: claim(spec) }), classes).spec;
    expect(of({})).toEqual({ storageClassName: "new" });
    expect(of({ storageClassName: "" })).toEqual({ storageClassName: "" });
  });

  it("decides whether the claim may grow", () => {
    const grow = (next: object, current: object, phase?: string) =>
      admit(
        claimResize,
        anAttempt("UPDATE", PERSISTENT_VOLUME_CLAIMS, { object: claim(next), current: claim(current, phase) }),
        classes,
      ).refused;
    expect(grow(sized("2Gi"), sized("1Gi"))).toBeUndefined();
    expect(grow(sized("1Gi"), sized("1024Mi"), "Pending")).toBeUndefined();
    expect(grow(sized("2Gi"), sized("1Gi"), "Pending")).toBe("Only bound persistent volume claims can be expanded");
    expect(grow(sized("2Gi", "fixed"), sized("1Gi", "fixed"))).toMatch(/must support resize$/);
  });
});

describe("RuntimeClass", () => {
  const key = "runtimeclasses//kata";
  const CLASSES = {
    [key]: anObject("kata", {
      overhead: { podFixed: { cpu: "0.5", memory: "64Mi" } },
      scheduling: {
        nodeSelector: { sandbox: "yes" },
        tolerations: [{ key: "sandbox", operator: "Exists" }],
      },
    }),
    "runtimeclasses//plain": anObject("plain"),
  };
  const of = (spec: object) => admit(runtimeClass, create(spec), CLASSES);

  it("a pod of a class that does not exist is refused", () => {
    expect(of({ runtimeClassName: "none" }).refused).toBe('pod rejected: RuntimeClass "none" not found');
    expect(of({}).refused).toBeUndefined();
    expect(of({ runtimeClassName: "plain" }).refused).toBeUndefined();
  });

  it("a pod gets the overhead of its class, and may say no other", () => {
    expect(of({ runtimeClassName: "kata" }).spec.overhead).toEqual({ cpu: "0.5", memory: "64Mi" });
    expect(of({ runtimeClassName: "kata", overhead: { cpu: "500m", memory: "64Mi" } }).refused).toBeUndefined();
    expect(of({ runtimeClassName: "kata", overhead: { cpu: "1" } }).refused).toContain("doesn't match RuntimeClass's");
    for (const spec of [{ overhead: {} }, { runtimeClassName: "plain", overhead: { cpu: "1" } }])
      expect(of(spec).refused).toContain("set without corresponding RuntimeClass");
  });

  it("a pod goes where its class can run, and may not say otherwise", () => {
    const narrow = { key: "sandbox", operator: "Equal", value: "x", effect: "NoSchedule" };
    const { spec } = of({ runtimeClassName: "kata", nodeSelector: { zone: "a" }, tolerations: [narrow] });
    expect(spec.nodeSelector).toEqual({ sandbox: "yes", zone: "a" });
    expect(spec.tolerations).toEqual([{ key: "sandbox", operator: "Exists" }]);
    const other = of({ runtimeClassName: "kata", nodeSelector: { sandbox: "no" } });
    expect(other.refused).toContain("nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no");
  });
});
