// The kernel parameters that a pod asks for: names that the kernel can have, and none that belongs to the host when the pod
// shares that part of it with the host. Which ones a kubelet allows is its own matter.

import type { PodSpec } from "../../../../api/core/index.ts";
import { duplicate, type FieldError, invalid, required } from "../../field-error.ts";

const MAX_CHARACTERS = 253;
const SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const PATTERN = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
/** Each segment once, so that a long name is not tried in every way there is to cut it. */
const NAME = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

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

export function sysctlErrors(spec: PodSpec): readonly FieldError[] {
  const { sysctls = [] } = spec.securityContext ?? {};
  return sysctls.flatMap(({ name = "" }, at) => {
    const field = `spec.securityContext.sysctls[${at}].name`;
    const isRepeated = sysctls.findIndex((other) => other.name === name) < at;
    return [...nameErrors(name, field, isRepeated), ...hostErrors(name, field, spec)];
  });
}

function nameErrors(name: string, field: string, isRepeated: boolean): readonly FieldError[] {
  if (name === "") return [required(field)];
  if (name.length > MAX_CHARACTERS || !name.split(/[./]/).every((segment) => NAME.test(segment)))
    return [invalid(field, name, `must have at most ${MAX_CHARACTERS} characters and match regex ${PATTERN}`)];
  return isRepeated ? [duplicate(field, name)] : [];
}

function hostErrors(name: string, field: string, { hostNetwork, hostIPC }: PodSpec): readonly FieldError[] {
  const dotted = normalized(name);
  if (hostNetwork === true && dotted.startsWith("net."))
    return [invalid(field, name, "may not be specified when 'hostNetwork' is true")];
  const isIpc = IPC_NAMES.has(dotted) || dotted.startsWith("fs.mqueue.");
  return hostIPC === true && isIpc ? [invalid(field, name, "may not be specified when 'hostIPC' is true")] : [];
}

/** Either separator may come first; the other one then is part of a segment. */
function normalized(name: string): string {
  const [first] = /[./]/.exec(name) ?? [];
  if (first !== "/") return name;
  return name.replace(/[./]/g, (one) => (one === "/" ? "." : "/"));
}
