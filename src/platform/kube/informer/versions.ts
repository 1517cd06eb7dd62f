// Which of two states of one object is the later one. Kubernetes promises since 1.35 that resourceVersions of one resource
// are decimal numbers to be compared; of a server that sends anything else nothing is assumed.

import type { KubeObject } from "../../../api/meta/index.ts";

const DECIMAL = /^[1-9]\d{0,38}$/;

/** True only when both are states of the same object and the first is surely the earlier one. */
export function isEarlier(one: KubeObject, other: KubeObject): boolean {
  if (one.metadata.uid !== other.metadata.uid) return false;
  const a = one.metadata.resourceVersion ?? "";
  const b = other.metadata.resourceVersion ?? "";
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
