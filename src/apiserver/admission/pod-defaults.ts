// What every new pod gets beside an account: a priority (plugin Priority), and five minutes of toleration for a node
// that is not ready or not reachable (plugin DefaultTolerationSeconds).

import type { Pod, PriorityClass, Toleration } from "../../api/core/index.ts";
import { PODS, PRIORITY_CLASSES } from "../../api/meta/index.ts";
import type { Attempt } from "../call.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

const PRIORITY = "Priority";

function newPod({ resource, operation, subresource, object }: Attempt): Pod | undefined {
  return resource === PODS && operation === "CREATE" && subresource === "" ? (object as Pod) : undefined;
}

export const priority: Plugin = {
  name: PRIORITY,
  phase: "before",
  change: (attempt, questions) => {
    const pod = newPod(attempt);
    const found = pod === undefined ? undefined : priorityOf(pod, questions);
    // Another number than the computed one is left for `judge` to refuse.
    return pod === undefined || found === undefined ? undefined : { ...pod, spec: { ...found, ...pod.spec } };
  },
  judge: (attempt, questions) => {
    if (attempt.resource === PRIORITY_CLASSES) return judgeClass(attempt, questions);
    const pod = newPod(attempt);
    if (pod === undefined) return undefined;
    const text = podProblem(pod, priorityOf(pod, questions));
    return text === undefined ? undefined : refuse(PRIORITY, "NoPriority", text);
  },
};

interface Given {
  readonly priorityClassName?: string;
  readonly priority: number;
  readonly preemptionPolicy: string;
}

const NORMAL: Given = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };

/** Undefined when the pod names a class that does not exist. */
function priorityOf({ spec = {} }: Pod, questions: Questions): Given | undefined {
  const { priorityClassName = "" } = spec;
  if (priorityClassName === "") return given(defaultClass(questions)) ?? NORMAL;
  return given(questions.get(PRIORITY_CLASSES, priorityClassName) as PriorityClass | undefined);
}

function given(found: PriorityClass | undefined): Given | undefined {
  if (found === undefined) return undefined;
  const { value = 0, preemptionPolicy = NORMAL.preemptionPolicy } = found;
  return { priorityClassName: found.metadata.name ?? "", priority: value, preemptionPolicy };
}

/** Of several, which a race may have left, the lowest. */
function defaultClass(questions: Questions): PriorityClass | undefined {
  const classes = questions.list(PRIORITY_CLASSES) as readonly PriorityClass[];
  const [lowest] = classes
    .filter(({ globalDefault }) => globalDefault === true)
    .sort((one, other) => (one.value ?? 0) - (other.value ?? 0));
  return lowest;
}

function podProblem({ spec = {} }: Pod, computed: Given | undefined): string | undefined {
  if (computed === undefined) return `no PriorityClass with name ${spec.priorityClassName ?? ""} was found`;
  const must = "must not be provided in pod spec; priority admission controller computed";
  const from = "from the given PriorityClass name";
  if (spec.priority !== undefined && spec.priority !== computed.priority) {
    return `the integer value of priority (${spec.priority}) ${must} ${computed.priority} ${from}`;
  }
  const { preemptionPolicy: policy = computed.preemptionPolicy } = spec;
  if (policy === computed.preemptionPolicy) return undefined;
  return `the string value of PreemptionPolicy (${policy}) ${must} ${computed.preemptionPolicy} ${from}`;
}

function judgeClass({ object, name }: Attempt, questions: Questions) {
  if ((object as PriorityClass | undefined)?.globalDefault !== true) return undefined;
  const other = defaultClass(questions)?.metadata.name;
  if (other === undefined || other === name) return undefined;
  const text = `PriorityClass ${other} is already marked as default. Only one default can exist`;
  return refuse(PRIORITY, "SecondDefault", text);
}

const PATIENCE_SECONDS = 300;
const TROUBLES: readonly string[] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export const defaultTolerationSeconds: Plugin = {
  name: "DefaultTolerationSeconds",
  phase: "before",
  change: ({ resource, operation, subresource, object }) => {
    // Also for a pod that exists: a client that replaces all tolerations may have left these out.
    if (resource !== PODS || subresource !== "" || operation === "DELETE") return undefined;
    const pod = object as Pod;
    const { tolerations = [] } = pod.spec ?? {};
    const added = TROUBLES.filter((key) => !tolerations.some((one) => tolerates(one, key))).map(patience);
    return added.length === 0 ? undefined : { ...pod, spec: { ...pod.spec, tolerations: [...tolerations, ...added] } };
  },
  judge: () => undefined,
};

/** A toleration without a key or an effect matches all of them. */
function tolerates({ key = "", effect = "" }: Toleration, trouble: string): boolean {
  return (key === trouble || key === "") && (effect === "NoExecute" || effect === "");
}

function patience(key: string): Toleration {
  return { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: PATIENCE_SECONDS };
}
