// Validation of a pod: the part of kubernetes/pkg/apis/core/validation that clients meet. differs from upstream:
// probes, affinity, security contexts (except sysctls) and the contents of volume sources are not validated; the
// kubelet decides about them.

import type { Container, Pod, PodSpec, Volume } from "../../../../api/core/index.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  isRepeated,
  notFoundField,
  notSupported,
  required,
} from "../../field-error.ts";
import { dnsLabel, dnsSubdomain, portName, portNumber } from "../../names.ts";

const RESTART_POLICIES: readonly string[] = ["Always", "OnFailure", "Never"];
const DNS_POLICIES: readonly string[] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const PULL_POLICIES: readonly string[] = ["Always", "IfNotPresent", "Never"];
const PROTOCOLS: readonly string[] = ["SCTP", "TCP", "UDP"];
const MESSAGE_POLICIES: readonly string[] = ["File", "FallbackToLogsOnError"];
const MAX_DEADLINE = 2_147_483_647;

export function podErrors({ spec = {} }: Pod): readonly FieldError[] {
  const { containers = [], initContainers = [], volumes = [] } = spec;
  const names = containers.map(({ name = "" }) => name);
  const volumeNames = new Set(volumes.map(({ name = "" }) => name));
  return [
    ...volumes.flatMap((volume, at) => volumeErrors(volume, at, volumes)),
    ...(containers.length === 0 ? [required("spec.containers")] : []),
    ...listErrors(containers, { path: "spec.containers", volumeNames, taken: [] }),
    ...listErrors(initContainers, { path: "spec.initContainers", volumeNames, taken: names }),
    ...policyErrors(spec),
    ...nameErrors(spec),
    ...deadlineErrors(spec.activeDeadlineSeconds),
    ...sysctlErrors(spec),
    ...tokenErrors(spec),
  ];
}

const byName = ({ name = "" }: { readonly name?: string }) => name;
const byMountPath = ({ mountPath = "" }: { readonly mountPath?: string }) => mountPath;

function volumeErrors({ name = "" }: Volume, at: number, all: readonly Volume[]): readonly FieldError[] {
  const field = `spec.volumes[${at}].name`;
  if (name === "") return [required(field)];
  const isSecond = isRepeated(all, at, byName);
  return [...dnsLabel(name).map((text) => invalid(field, name, text)), ...(isSecond ? [duplicate(field, name)] : [])];
}

interface Surroundings {
  readonly path: string;
  readonly volumeNames: ReadonlySet<string>;
  /** Names that other containers of the pod have. */
  readonly taken: readonly string[];
}

/** Validation stops after this many mistakes. */
const ENOUGH_ERRORS = 100;

function listErrors(containers: readonly Container[], around: Surroundings): readonly FieldError[] {
  const taken = new Set(around.taken);
  const errors: FieldError[] = [];
  for (const [at, container] of containers.entries()) {
    if (errors.length > ENOUGH_ERRORS) break;
    const field = `${around.path}[${at}]`;
    const { name = "" } = container;
    const isSecond = taken.has(name) || isRepeated(containers, at, byName);
    errors.push(
      ...containerErrors(container, field),
      ...mountErrors(container, field, around.volumeNames),
      ...pullPolicyErrors(container.imagePullPolicy ?? "", `${field}.imagePullPolicy`),
      ...(isSecond ? [duplicate(`${field}.name`, name)] : []),
    );
  }
  return errors;
}

function containerErrors(container: Container, field: string): readonly FieldError[] {
  const { name = "", image = "", terminationMessagePolicy: policy = "", env = [] } = container;
  return [
    ...(name === "" ? [required(`${field}.name`)] : dnsLabel(name).map((text) => invalid(`${field}.name`, name, text))),
    ...(image === "" ? [required(`${field}.image`)] : []),
    ...(MESSAGE_POLICIES.includes(policy)
      ? []
      : [notSupported(`${field}.terminationMessagePolicy`, policy, MESSAGE_POLICIES)]),
    ...portErrors(container, `${field}.ports`),
    ...env.flatMap((variable, at) => ((variable.name ?? "") === "" ? [required(`${field}.env[${at}].name`)] : [])),
  ];
}

function portErrors({ ports = [] }: Container, path: string): readonly FieldError[] {
  return ports.flatMap(({ name = "", containerPort = 0, hostPort = 0, protocol = "" }, at) => {
    const field = `${path}[${at}]`;
    return [
      ...(name === "" ? [] : portName(name).map((text) => invalid(`${field}.name`, name, text))),
      ...(containerPort === 0
        ? [required(`${field}.containerPort`)]
        : portNumber(containerPort).map((text) => invalid(`${field}.containerPort`, containerPort, text))),
      ...(hostPort === 0 ? [] : portNumber(hostPort).map((text) => invalid(`${field}.hostPort`, hostPort, text))),
      ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ];
  });
}

function mountErrors(container: Container, path: string, volumes: ReadonlySet<string>): readonly FieldError[] {
  const { volumeMounts = [] } = container;
  return volumeMounts.flatMap(({ name = "", mountPath = "" }, at) => {
    const field = `${path}.volumeMounts[${at}]`;
    const isSecond = isRepeated(volumeMounts, at, byMountPath);
    return [
      ...(name === "" ? [required(`${field}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFoundField(`${field}.name`, name)]),
      ...(mountPath === "" ? [required(`${field}.mountPath`)] : []),
      ...(isSecond ? [invalid(`${field}.mountPath`, mountPath, "must be unique")] : []),
    ];
  });
}

function pullPolicyErrors(policy: string, field: string): readonly FieldError[] {
  return PULL_POLICIES.includes(policy) ? [] : [notSupported(field, policy, PULL_POLICIES)];
}

function policyErrors({ restartPolicy = "", dnsPolicy = "" }: PodSpec): readonly FieldError[] {
  return [
    ...(RESTART_POLICIES.includes(restartPolicy)
      ? []
      : [notSupported("spec.restartPolicy", restartPolicy, RESTART_POLICIES)]),
    ...(DNS_POLICIES.includes(dnsPolicy) ? [] : [notSupported("spec.dnsPolicy", dnsPolicy, DNS_POLICIES)]),
  ];
}

function nameErrors(spec: PodSpec): readonly FieldError[] {
  const named = {
    "spec.serviceAccountName": spec.serviceAccountName ?? "",
    "spec.nodeName": spec.nodeName ?? "",
    "spec.priorityClassName": spec.priorityClassName ?? "",
    "spec.runtimeClassName": spec.runtimeClassName ?? "",
  };
  return Object.entries(named).flatMap(([field, name]) =>
    name === "" ? [] : dnsSubdomain(name).map((text) => invalid(field, name, text)),
  );
}

function deadlineErrors(seconds: number | undefined): readonly FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_DEADLINE)) return [];
  return [invalid("spec.activeDeadlineSeconds", seconds, `must be between 1 and ${MAX_DEADLINE}, inclusive`)];
}

/** A pod without a service account is a mirror pod: there is no account to issue a token for. */
function tokenErrors({ serviceAccountName = "", volumes = [] }: PodSpec): readonly FieldError[] {
  if (serviceAccountName !== "") return [];
  return volumes.flatMap(({ projected }, at) =>
    (projected?.sources ?? []).flatMap((source, nth) =>
      source.serviceAccountToken === undefined
        ? []
        : [
            forbiddenField(
              `spec.volumes[${at}].projected.sources[${nth}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ],
    ),
  );
}

const MAX_SYSCTL = 253;
const SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const SYSCTL_PATTERN = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
/** Matches one segment: the whole pattern would backtrack on long names. */
const SYSCTL_SEGMENT = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Parameters of the IPC namespace; those of the network all begin with `net.`. */
const IPC_NAMES: ReadonlySet<string> = new Set([
  "kernel.msg",
  "kernel.msgmax",
  "kernel.msgmnb",
  "kernel.msgmni",
  "kernel.sem",
  "kernel.shm",
  "kernel.shm_rmid_forced",
  "kernel.shmall",
  "kernel.shmmax",
  "kernel.shmmni",
]);

/**
 * Kernel parameters: names that the kernel can have, and none of the host when the pod shares that part with the host.
 * Which ones a kubelet allows is decided by the kubelet.
 */
function sysctlErrors(spec: PodSpec): readonly FieldError[] {
  const { sysctls = [] } = spec.securityContext ?? {};
  return sysctls.flatMap(({ name = "" }, at) => {
    const field = `spec.securityContext.sysctls[${at}].name`;
    const isRepeated = sysctls.findIndex((other) => other.name === name) < at;
    return [...sysctlNameErrors(name, field, isRepeated), ...hostErrors(name, field, spec)];
  });
}

function sysctlNameErrors(name: string, field: string, isRepeated: boolean): readonly FieldError[] {
  if (name === "") return [required(field)];
  if (name.length > MAX_SYSCTL || !name.split(/[./]/).every((segment) => SYSCTL_SEGMENT.test(segment)))
    return [invalid(field, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL_PATTERN}`)];
  return isRepeated ? [duplicate(field, name)] : [];
}

function hostErrors(name: string, field: string, { hostNetwork, hostIPC }: PodSpec): readonly FieldError[] {
  const dotted = normalized(name);
  if (hostNetwork === true && dotted.startsWith("net."))
    return [invalid(field, name, "may not be specified when 'hostNetwork' is true")];
  const isIpc = IPC_NAMES.has(dotted) || dotted.startsWith("fs.mqueue.");
  return hostIPC === true && isIpc ? [invalid(field, name, "may not be specified when 'hostIPC' is true")] : [];
}

/** The separator that comes first separates; the other one is part of a segment. */
function normalized(name: string): string {
  const [first] = /[./]/.exec(name) ?? [];
  if (first !== "/") return name;
  return name.replace(/[./]/g, (one) => (one === "/" ? "." : "/"));
}
