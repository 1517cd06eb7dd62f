// The state and age of a request, as the csr commands print them.

import { type CertificateSigningRequest, findCondition } from "../../../api/certificates/index.ts";

/** As `kubectl get csr` puts it. */
export function conditionOf(csr: CertificateSigningRequest): string {
  const decided = ["Denied", "Approved"].find((type) => findCondition(csr, type) !== undefined) ?? "Pending";
  const failed = findCondition(csr, "Failed") === undefined ? "" : ",Failed";
  return `${decided}${failed}${(csr.status?.certificate ?? "") === "" ? "" : ",Issued"}`;
}

/** `40s`, `12m`, `3h`, `5d`: one unit is enough to find a request by. */
export function ageOf(csr: CertificateSigningRequest, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(csr.metadata.creationTimestamp ?? "")) / 1_000));
  if (Number.isNaN(seconds)) return "?";
  const [unit, size] = UNITS.find(([, least]) => seconds >= 2 * least) ?? ["s", 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
];
