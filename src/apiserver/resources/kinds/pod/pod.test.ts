import { describe, expect, it } from "vitest";
import type { Container, Pod, PodSpec, PodStatus } from "../../../../api/core/index.ts";
import { describeError, type FieldError } from "../../field-error.ts";
import { qualityOfService } from "./defaults.ts";
import { podStrategy } from "./strategy.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const FACTS = { user: { username: "jane", groups: [] }, nowMs: NOW_MS, list: () => [] };
const texts = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${describeError(error)}`);
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString();

const CONTAINER: Container = { name: "c", image: "i:1" };
const aPod = (spec: PodSpec = {}, status: PodStatus = {}): Pod => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "p", namespace: "n" },
  spec: { containers: [CONTAINER], ...spec },
  status,
});
const created = (spec: PodSpec = {}) => podStrategy.prepareCreate(aPod(spec), FACTS);

describe("a new pod", () => {
  it("has what kubelets rely on", () => {
    expect(created()).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        schedulerName: "default-scheduler",
        terminationGracePeriodSeconds: 30,
        enableServiceLinks: true,
        securityContext: {},
        containers: [{ imagePullPolicy: "IfNotPresent", terminationMessagePolicy: "File", resources: {} }],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
    expect(podStrategy.validateCreate(created())).toEqual([]);
  });

  it("that wants to end before it was asked to has a moment", () => {
    expect(created({ terminationGracePeriodSeconds: -1 }).spec?.terminationGracePeriodSeconds).toBe(1);
  });

  it("does not keep a status it was sent with", () => {
    const sent = aPod({}, { phase: "Running", podIP: "10.0.0.1" });
    expect(podStrategy.prepareCreate(sent, FACTS).status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  const images: Record<string, string> = {
    i: "Always",
    "i:latest": "Always",
    "host:5000/a/i": "Always",
    "host:5000/a/i:1": "IfNotPresent",
    [`i@sha256:${"0".repeat(64)}`]: "IfNotPresent",
  };
  it.each(Object.entries(images))("pulls %s: %s", (image, policy) => {
    expect(created({ containers: [{ name: "c", image }] }).spec?.containers?.[0]?.imagePullPolicy).toBe(policy);
  });
});

describe("the quality of service", () => {
  const limits = { cpu: "1", memory: "1Gi" };
  const of = (...resources: readonly NonNullable<Container["resources"]>[]) =>
    qualityOfService({ containers: resources.map((one) => ({ ...CONTAINER, resources: one })) });

  it("is what the containers ask for", () => {
    expect(of({})).toBe("BestEffort");
    expect(of({ requests: { cpu: "0" } })).toBe("BestEffort");
    expect(of({ requests: { "example.com/gpu": "1" } })).toBe("BestEffort");
    expect(of({ requests: { cpu: "1" } })).toBe("Burstable");
    expect(of({ limits, requests: limits })).toBe("Guaranteed");
    expect(of({ limits, requests: { cpu: "1000m", memory: "1024Mi" } })).toBe("Guaranteed");
    expect(of({ limits, requests: { ...limits, cpu: "500m" } })).toBe("Burstable");
    expect(of({ limits, requests: limits }, {})).toBe("Burstable");
  });
});

describe("a pod is refused", () => {
  const bad: Record<string, [PodSpec, string]> = {
    "without containers": [{ containers: [] }, "spec.containers: Required value"],
    "with a nameless container": [{ containers: [{ image: "i" }] }, "spec.containers[0].name: Required value"],
    "with two containers of one name": [
      { containers: [CONTAINER, CONTAINER] },
      'spec.containers[1].name: Duplicate value: "c"',
    ],
    "with an init container of the same name": [
      { initContainers: [CONTAINER] },
      'spec.initContainers[0].name: Duplicate value: "c"',
    ],
    "with a mount of no volume": [
      { containers: [{ ...CONTAINER, volumeMounts: [{ name: "v", mountPath: "/x" }] }] },
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    "with a policy nobody knows": [
      { restartPolicy: "Maybe" },
      'spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
    ],
    "with a token for nobody": [
      { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
      "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
    ],
  };
  it.each(Object.entries(bad))("%s", (_name, [spec, text]) => {
    expect(texts(podStrategy.validateCreate(created(spec)))).toEqual([text]);
  });
});

describe("a pod that exists", () => {
  const current = created({ tolerations: [{ key: "a" }], schedulingGates: [{ name: "g" }] });
  const change = (spec: PodSpec) => {
    const sent = { ...current, spec: { ...current.spec, ...spec } };
    const next = podStrategy.prepareUpdate(sent, current, FACTS);
    return { next, errors: texts(podStrategy.validateUpdate(next, current)) };
  };

  const allowed: Record<string, PodSpec> = {
    "its image": { containers: [{ ...CONTAINER, image: "other", imagePullPolicy: "IfNotPresent" }] },
    "a deadline": { activeDeadlineSeconds: 5 },
    "one more toleration": { tolerations: [{ key: "a" }, { key: "b" }] },
    "the patience of a toleration": { tolerations: [{ key: "a", tolerationSeconds: 5 }] },
    "one gate less": { schedulingGates: [] },
  };
  it.each(Object.entries(allowed))("may change %s, and that counts", (_name, spec) => {
    const { next, errors } = change(spec);
    expect(errors).toEqual([]);
    expect(next.metadata.generation).toBe(2);
  });

  const refused: Record<string, [PodSpec, RegExp]> = {
    "its node": [{ nodeName: "n1" }, /^spec: Forbidden: pod updates may not change fields other than/],
    "its account": [{ serviceAccountName: "other" }, /^spec: Forbidden: pod updates may not change/],
    "its containers": [{ containers: [CONTAINER, { ...CONTAINER, name: "d" }] }, /may not add or remove containers$/],
    "a toleration": [{ tolerations: [] }, /^spec.tolerations: Forbidden: existing toleration can not be modified/],
    "the gates it has": [{ schedulingGates: [{ name: "h" }] }, /^spec.schedulingGates: Forbidden: only deletion/],
  };
  it.each(Object.entries(refused))("may not change %s", (_name, [spec, text]) => {
    expect(change(spec).errors).toEqual([expect.stringMatching(text)]);
  });

  it("keeps its status on the main endpoint and its spec on the other", () => {
    const sent = aPod({ nodeName: "n1" }, { phase: "Running" });
    expect(podStrategy.prepareUpdate(sent, current, FACTS).status).toEqual(current.status);
    const [status] = podStrategy.subresources;
    const next = status?.prepareUpdate(sent, current, FACTS);
    expect(next?.spec).toEqual(current.spec);
    expect(next?.status).toEqual({ phase: "Running", qosClass: "BestEffort" });
  });
});

describe("the time to end", () => {
  const seconds = (spec: PodSpec, status: PodStatus, asked?: number) =>
    podStrategy.graceSeconds?.(aPod({ terminationGracePeriodSeconds: 30, ...spec }, status), asked);
  it("is the pod's own, or what was asked for, where it runs", () => {
    expect(seconds({ nodeName: "n1" }, { phase: "Running" })).toBe(30);
    expect(seconds({ nodeName: "n1" }, { phase: "Running" }, 5)).toBe(5);
    expect(seconds({ nodeName: "n1" }, { phase: "Running" }, 0)).toBe(0);
    expect(seconds({ nodeName: "n1" }, { phase: "Running" }, -1)).toBe(1);
  });
  it("is none where there is nothing to end", () => {
    expect(seconds({}, {}, 5)).toBe(0);
    expect(seconds({ nodeName: "n1" }, { phase: "Succeeded" }, 5)).toBe(0);
    expect(seconds({ nodeName: "n1" }, { phase: "Failed" })).toBe(0);
  });
});

describe("kubectl get pods", () => {
  const cells = (pod: Pod) => podStrategy.table.cells(pod, NOW_MS).slice(1, 4);
  const running = { running: {} };
  const two = { containers: [CONTAINER, { ...CONTAINER, name: "d" }] };
  const one = { initContainers: [{ ...CONTAINER, name: "init" }] };
  const sidecar = { initContainers: [{ ...CONTAINER, name: "init", restartPolicy: "Always" }] };
  const ready = { type: "Ready", status: "True" };

  const rows: Record<string, [PodSpec, PodStatus, readonly [string, string, string]]> = {
    "counts what is ready and what fell over": [
      two,
      { phase: "Running", containerStatuses: [{ ready: true, restartCount: 3, state: running }, { restartCount: 3 }] },
      ["1/2", "Running", "6"],
    ],
    "tells why a container waits": [
      two,
      {
        phase: "Pending",
        containerStatuses: [{ state: running, ready: true }, { state: { waiting: { reason: "Why" } } }],
      },
      ["1/2", "Why", "0"],
    ],
    "lets the first container speak": [
      two,
      {
        phase: "Running",
        containerStatuses: [
          { state: { waiting: { reason: "First" } } },
          { state: { terminated: { reason: "Second" } } },
        ],
      },
      ["0/2", "First", "0"],
    ],
    "believes the pod's own reason": [{}, { phase: "Failed", reason: "Evicted" }, ["0/1", "Evicted", "0"]],
    "is not ready while one has completed": [
      two,
      {
        phase: "Running",
        containerStatuses: [{ state: { terminated: { reason: "Completed" } } }, { ready: true, state: running }],
      },
      ["1/2", "NotReady", "0"],
    ],
    "is running when it says so": [
      two,
      {
        phase: "Running",
        conditions: [ready],
        containerStatuses: [{ state: { terminated: { reason: "Completed" } } }, { ready: true, state: running }],
      },
      ["1/2", "Running", "0"],
    ],
    "tells the exit code without a reason": [
      {},
      { phase: "Running", containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
      ["0/1", "ExitCode:3", "0"],
    ],
    "tells the signal without a reason": [
      {},
      { phase: "Running", containerStatuses: [{ state: { terminated: { exitCode: 137, signal: 9 } } }] },
      ["0/1", "Signal:9", "0"],
    ],
    "says how far it is": [
      one,
      {
        phase: "Pending",
        initContainerStatuses: [
          { name: "init", restartCount: 3, state: running, lastState: { terminated: { finishedAt: ago(10) } } },
        ],
      },
      ["0/1", "Init:0/1", "3 (10s ago)"],
    ],
    "says what stopped it": [
      one,
      {
        phase: "Pending",
        initContainerStatuses: [{ name: "init", state: { terminated: { exitCode: 1, reason: "Error" } } }],
      },
      ["0/1", "Init:Error", "0"],
    ],
    "forgets how it began": [
      one,
      {
        phase: "Running",
        initContainerStatuses: [{ name: "init", restartCount: 2, state: { terminated: { exitCode: 0 } } }],
        containerStatuses: [
          { ready: true, restartCount: 4, state: running, lastState: { terminated: { finishedAt: ago(20) } } },
        ],
      },
      ["1/1", "Running", "4 (20s ago)"],
    ],
    "counts a sidecar in": [
      sidecar,
      {
        phase: "Running",
        initContainerStatuses: [{ name: "init", started: true, ready: true, restartCount: 1, state: running }],
        containerStatuses: [{ ready: true, restartCount: 1, state: running }],
      },
      ["2/2", "Running", "2"],
    ],
    "tells that nobody schedules it": [
      {},
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
      ["0/1", "SchedulingGated", "0"],
    ],
  };
  it.each(Object.entries(rows))("%s", (_name, [spec, status, expected]) => {
    expect(cells(aPod(spec, status))).toEqual(expected);
  });

  it("says that it ends, unless it has ended", () => {
    const going = (status: PodStatus) => {
      const pod = aPod({}, status);
      return cells({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: ago(1) } })[1];
    };
    expect(going({ phase: "Running" })).toBe("Terminating");
    expect(going({ phase: "Succeeded" })).toBe("Succeeded");
    expect(going({ phase: "Running", reason: "NodeLost" })).toBe("Unknown");
  });

  it("counts the gates that are open", () => {
    const gated = aPod(
      { readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] },
      { conditions: [{ type: "a", status: "True" }] },
    );
    expect(podStrategy.table.cells(gated, NOW_MS).slice(5)).toEqual(["<none>", "<none>", "<none>", "1/2"]);
  });
});
