// The quality of service of a pod: what the kubelet ends first when memory is short. Guaranteed when every container limits
// both resources and asks for all of it; BestEffort when none asks for anything; Burstable between the two.

import type { PodSpec } from "../../../../api/core/index.ts";
import { parseQuantity } from "../../quantity.ts";

const COMPUTE: readonly string[] = ["cpu", "memory"];

type Sums = ReadonlyMap<string, bigint>;

export function qualityOfService({ containers = [], initContainers = [] }: PodSpec): string {
  const all = [...containers, ...initContainers].map(({ resources = {} }) => resources);
  const requests = sum(all.map((resources) => resources.requests ?? {}));
  const limits = sum(all.map((resources) => resources.limits ?? {}));
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isLimited = all.every((resources) => sum([resources.limits ?? {}]).size === COMPUTE.length);
  const isSame = [...requests].every(([name, value]) => limits.get(name) === value);
  return isLimited && isSame && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Only what is more than nothing counts. */
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
