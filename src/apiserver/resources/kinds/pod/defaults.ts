// Defaults of a pod; kubelets and controllers rely on every one of these fields.
// Behaviour of kubernetes/pkg/apis/core/v1/defaults.go.

import type {
  Container,
  ContainerStatus,
  EnvVar,
  PodSpec,
  PodStatus,
  Probe,
  Volume,
  VolumeProjection,
} from "../../../../api/core/index.ts";
import { canonicalQuantities, parseQuantity } from "../../quantity.ts";

const GRACE_SECONDS = 30;
/** 0644: readable by every user of the container. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3_600;

export function withPodDefaults(spec: PodSpec): PodSpec {
  const { containers = [], initContainers, ephemeralContainers, volumes, hostNetwork = false } = spec;
  const withPorts = (container: Container) => hostPorts(containerDefaults(container), hostNetwork);
  return {
    ...spec,
    ...(volumes === undefined ? {} : { volumes: volumes.map(volumeDefaults) }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withPorts) }),
    containers: containers.map(withPorts),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: ephemeralContainers.map(containerDefaults) }),
    restartPolicy: spec.restartPolicy ?? "Always",
    terminationGracePeriodSeconds: graceOf(spec),
    dnsPolicy: spec.dnsPolicy ?? "ClusterFirst",
    ...accountOf(spec),
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName ?? "default-scheduler",
    enableServiceLinks: spec.enableServiceLinks ?? true,
  };
}

/** Negative grace periods were accepted once, and mean one second. */
function graceOf({ terminationGracePeriodSeconds: seconds = GRACE_SECONDS }: PodSpec): number {
  return seconds < 0 ? 1 : seconds;
}

/** serviceAccount, the deprecated name, always equals serviceAccountName. */
function accountOf(spec: PodSpec): Pick<PodSpec, "serviceAccountName" | "serviceAccount"> {
  const name = spec.serviceAccountName || spec.serviceAccount || "";
  return name === "" ? {} : { serviceAccountName: name, serviceAccount: name };
}

function containerDefaults(container: Container): Container {
  const { env, ports, livenessProbe, readinessProbe, startupProbe } = container;
  return {
    ...container,
    ...(ports === undefined ? {} : { ports: ports.map((port) => ({ ...port, protocol: port.protocol ?? "TCP" })) }),
    ...(env === undefined ? {} : { env: env.map(envDefaults) }),
    resources: resourceDefaults(container.resources ?? {}),
    ...(livenessProbe === undefined ? {} : { livenessProbe: probeDefaults(livenessProbe) }),
    ...(readinessProbe === undefined ? {} : { readinessProbe: probeDefaults(readinessProbe) }),
    ...(startupProbe === undefined ? {} : { startupProbe: probeDefaults(startupProbe) }),
    terminationMessagePath: container.terminationMessagePath ?? "/dev/termination-log",
    terminationMessagePolicy: container.terminationMessagePolicy ?? "File",
    imagePullPolicy: container.imagePullPolicy ?? (isLatest(container.image ?? "") ? "Always" : "IfNotPresent"),
  };
}

/** An image without tag and digest means `latest`, which may change from pull to pull. */
function isLatest(image: string): boolean {
  if (image === "" || image.includes("@")) return false;
  const [, tag = "latest"] = image.slice(image.lastIndexOf("/") + 1).split(":");
  return tag === "latest";
}

/** Requests default to limits. */
function resourceDefaults(resources: NonNullable<Container["resources"]>): NonNullable<Container["resources"]> {
  const { limits, requests } = resources;
  if (limits === undefined && requests === undefined) return resources;
  return {
    ...resources,
    ...(limits === undefined ? {} : { limits: canonicalQuantities(limits) }),
    requests: canonicalQuantities({ ...limits, ...requests }),
  };
}

function envDefaults(variable: EnvVar): EnvVar {
  const { valueFrom } = variable;
  if (valueFrom?.fieldRef === undefined) return variable;
  return { ...variable, valueFrom: { ...valueFrom, fieldRef: { apiVersion: "v1", ...valueFrom.fieldRef } } };
}

function probeDefaults(probe: Probe): Probe {
  const { httpGet } = probe;
  return {
    ...probe,
    ...(httpGet === undefined ? {} : { httpGet: { path: "/", scheme: "HTTP", ...httpGet } }),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

function hostPorts(container: Container, hostNetwork: boolean): Container {
  if (!hostNetwork || container.ports === undefined) return container;
  const ports = container.ports.map((port) => {
    const hostPort = port.hostPort || port.containerPort;
    return hostPort === undefined ? port : { ...port, hostPort };
  });
  return { ...container, ports };
}

function volumeDefaults(volume: Volume): Volume {
  if (Object.keys(volume).every((key) => key === "name")) return { ...volume, emptyDir: {} } as Volume;
  const { secret, configMap, downwardAPI, projected, hostPath } = volume;
  return {
    ...volume,
    ...(secret === undefined ? {} : { secret: { defaultMode: FILE_MODE, ...secret } }),
    ...(configMap === undefined ? {} : { configMap: { defaultMode: FILE_MODE, ...configMap } }),
    ...(downwardAPI === undefined ? {} : { downwardAPI: downwardDefaults({ defaultMode: FILE_MODE, ...downwardAPI }) }),
    ...(projected === undefined ? {} : { projected: projectedDefaults(projected) }),
    ...(hostPath === undefined ? {} : { hostPath: { type: "", ...hostPath } }),
  };
}

function projectedDefaults(projected: NonNullable<Volume["projected"]>): NonNullable<Volume["projected"]> {
  return { defaultMode: FILE_MODE, ...projected, sources: (projected.sources ?? []).map(sourceDefaults) };
}

function sourceDefaults(source: VolumeProjection): VolumeProjection {
  const { serviceAccountToken: token, downwardAPI } = source;
  return {
    ...source,
    ...(token === undefined ? {} : { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, ...token } }),
    ...(downwardAPI === undefined ? {} : { downwardAPI: downwardDefaults(downwardAPI) }),
  };
}

function downwardDefaults<T extends NonNullable<VolumeProjection["downwardAPI"]>>(downward: T): T {
  if (downward.items === undefined) return downward;
  const items = downward.items.map((item) =>
    item.fieldRef === undefined ? item : { ...item, fieldRef: { apiVersion: "v1", ...item.fieldRef } },
  );
  return { ...downward, items };
}

/** Fields that every status has, if only null. */
export function withStatusDefaults(status: PodStatus): PodStatus {
  const { conditions, containerStatuses, initContainerStatuses } = status;
  return {
    ...status,
    ...(conditions === undefined
      ? {}
      : { conditions: conditions.map((one) => ({ lastProbeTime: null, lastTransitionTime: null, ...one })) }),
    ...(containerStatuses === undefined ? {} : { containerStatuses: containerStatuses.map(runDefaults) }),
    ...(initContainerStatuses === undefined ? {} : { initContainerStatuses: initContainerStatuses.map(runDefaults) }),
  };
}

function runDefaults(status: ContainerStatus): ContainerStatus {
  return { state: {}, lastState: {}, ready: false, restartCount: 0, image: "", imageID: "", ...status };
}

const COMPUTE: readonly string[] = ["cpu", "memory"];

type Sums = ReadonlyMap<string, bigint>;

/**
 * What the kubelet ends first when memory is short. Guaranteed: every container limits both resources and requests all
 * of it; BestEffort: no container requests anything; Burstable: everything between.
 */
export function qualityOfService({ containers = [], initContainers = [] }: PodSpec): string {
  const all = [...containers, ...initContainers].map(({ resources = {} }) => resources);
  const requests = sum(all.map((resources) => resources.requests ?? {}));
  const limits = sum(all.map((resources) => resources.limits ?? {}));
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isLimited = all.every((resources) => sum([resources.limits ?? {}]).size === COMPUTE.length);
  const isSame = [...requests].every(([name, value]) => limits.get(name) === value);
  return isLimited && isSame && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Quantities of zero do not count. */
function sum(lists: readonly Readonly<Record<string, string>>[]): Sums {
  const sums = new Map<string, bigint>();
  for (const list of lists) {
    for (const name of COMPUTE) {
      const nanos = parseQuantity(list[name] ?? "0")?.nanos ?? 0n;
      if (nanos > 0n) sums.set(name, (sums.get(name) ?? 0n) + nanos);
    }
  }
  return sums;
}
