// RuntimeClass: a pod that names a class must name one that exists, and gets from it the overhead beside its containers
// and the constraints on nodes. kubernetes/plugin/pkg/admission/runtimeclass.

import type { Pod, PodSpec, RuntimeClass, Toleration } from "../../api/core/index.ts";
import { PODS, RUNTIME_CLASSES } from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import type { Attempt } from "../call.ts";
import { parseQuantity } from "../resources/quantity.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

const NAME = "RuntimeClass";

export const runtimeClass: Plugin = {
  name: NAME,
  phase: "before",
  change: (attempt, questions) => {
    const pod = newPod(attempt);
    const found = pod === undefined ? undefined : classOf(pod, questions);
    return pod === undefined || found === undefined ? undefined : { ...pod, spec: fitted(pod.spec ?? {}, found) };
  },
  judge: (attempt, questions) => {
    const pod = newPod(attempt);
    const text = pod === undefined ? undefined : problem(pod.spec ?? {}, classOf(pod, questions));
    return text === undefined ? undefined : refuse(NAME, "NotOfItsClass", text);
  },
};

function newPod({ resource, operation, subresource, object }: Attempt): Pod | undefined {
  return resource === PODS && operation === "CREATE" && subresource === "" ? (object as Pod) : undefined;
}

function classOf({ spec }: Pod, questions: Questions): RuntimeClass | undefined {
  if (spec?.runtimeClassName === undefined) return undefined;
  return questions.get(RUNTIME_CLASSES, spec.runtimeClassName) as RuntimeClass | undefined;
}

/** Fields in which the pod contradicts its class are left for `judge` to refuse. */
function fitted(spec: PodSpec, { overhead, scheduling }: RuntimeClass): PodSpec {
  const isSilent = Object.keys(spec.overhead ?? {}).length === 0;
  const cost = overhead?.podFixed !== undefined && isSilent ? { overhead: overhead.podFixed } : {};
  if (scheduling === undefined) return { ...spec, ...cost };
  const { nodeSelector, tolerations } = scheduling;
  const where = nodeSelector === undefined ? {} : { nodeSelector: { ...nodeSelector, ...spec.nodeSelector } };
  const all = merged([...(spec.tolerations ?? []), ...(tolerations ?? [])]);
  return { ...spec, ...cost, ...where, ...(all.length === 0 ? {} : { tolerations: all }) };
}

function problem(spec: PodSpec, found: RuntimeClass | undefined): string | undefined {
  const { runtimeClassName: name, overhead, nodeSelector = {} } = spec;
  if (name !== undefined && found === undefined) return `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`;
  const cost = found?.overhead;
  if (cost === undefined && overhead !== undefined)
    return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
  if (cost !== undefined && !isSameCost(cost.podFixed ?? {}, overhead ?? {}))
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  const wanted = Object.entries(found?.scheduling?.nodeSelector ?? {});
  const [key, value] = wanted.find(([one, needed]) => nodeSelector[one] !== needed) ?? [];
  if (key === undefined) return undefined;
  const [ours, theirs] = ["runtimeClass.scheduling.nodeSelector", "pod.spec.nodeSelector"];
  return `conflict: ${ours}[${key}] = ${value}; ${theirs}[${key}] = ${nodeSelector[key]}`;
}

type Cost = Readonly<Record<string, string>>;

/** The same amounts, however they are written. */
function isSameCost(one: Cost, other: Cost): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => amountOf(one[name]) === amountOf(other[name]));
}

function amountOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : parseQuantity(text)?.nanos;
}

/** Without those that another one covers; of equal ones the first stays. */
function merged(all: readonly Toleration[]): readonly Toleration[] {
  const kept: Toleration[] = [];
  all.forEach((one, at) => {
    const later = all.slice(at + 1).filter((other) => !isSameJson(one, other));
    if (![...kept, ...later].some((other) => covers(other, one))) kept.push(one);
  });
  return kept;
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isSameJson(wide, narrow)) return true;
  return coversKey(wide, narrow) && coversEffect(wide, narrow) && coversValue(wide, narrow);
}

function coversKey(wide: Toleration, narrow: Toleration): boolean {
  const isAnyKey = (wide.key ?? "") === "" && wide.operator === "Exists";
  return isAnyKey || (wide.key ?? "") === (narrow.key ?? "");
}

function coversEffect({ effect = "", tolerationSeconds: limit }: Toleration, narrow: Toleration): boolean {
  if (effect !== "" && effect !== narrow.effect) return false;
  if (effect !== "NoExecute" || limit === undefined) return true;
  return narrow.tolerationSeconds !== undefined && narrow.tolerationSeconds <= limit;
}

function coversValue({ operator, value = "" }: Toleration, narrow: Toleration): boolean {
  return operator === "Exists" || (narrow.operator === "Equal" && (narrow.value ?? "") === value);
}
