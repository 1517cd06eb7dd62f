// Which requests are over: the cases and ages of kube-controller-manager's csrcleaner, in its order, to the second.
// Upstream: pkg/controller/certificates/cleaner/cleaner.go.

import { type CertificateSigningRequest, type CsrCondition, findCondition } from "../../api/certificates/index.ts";
import { parsePemField } from "../../api/pem/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";

const HOUR_MS = 3_600_000;

/** Its owner has long fetched the certificate. */
const ISSUED_AGE_MS = HOUR_MS;
const DENIED_AGE_MS = HOUR_MS;
const FAILED_AGE_MS = HOUR_MS;
/** A person may still decide it. */
const PENDING_AGE_MS = 24 * HOUR_MS;
/** Its signer may be away for a day. */
const APPROVED_AGE_MS = 24 * HOUR_MS;

export type EndCase = "issued" | "denied" | "failed" | "pending" | "expired" | "approved-unissued";

export interface Removal {
  readonly name: string;
  readonly uid: string;
  readonly because: EndCase;
}

export function planCleaning(csrs: readonly CertificateSigningRequest[], nowMs: number): readonly Removal[] {
  return csrs.flatMap((csr) => {
    const because = CASES.find(({ holds }) => holds(csr, nowMs))?.name;
    return because === undefined ? [] : [{ name: csr.metadata.name ?? "", uid: csr.metadata.uid ?? "", because }];
  });
}

const CASES: readonly {
  readonly name: EndCase;
  readonly holds: (csr: CertificateSigningRequest, nowMs: number) => boolean;
}[] = [
  {
    name: "issued",
    holds: (csr, nowMs) => hasCertificate(csr) && isConditionOlder(csr, "Approved", nowMs - ISSUED_AGE_MS),
  },
  { name: "denied", holds: (csr, nowMs) => isConditionOlder(csr, "Denied", nowMs - DENIED_AGE_MS) },
  { name: "failed", holds: (csr, nowMs) => isConditionOlder(csr, "Failed", nowMs - FAILED_AGE_MS) },
  {
    name: "pending",
    holds: (csr, nowMs) =>
      (csr.status?.conditions ?? []).length === 0 && isOlder(csr.metadata.creationTimestamp, nowMs - PENDING_AGE_MS),
  },
  {
    name: "expired",
    holds: (csr, nowMs) => findCondition(csr, "Approved") !== undefined && isCertificateOver(csr, nowMs),
  },
  {
    name: "approved-unissued",
    holds: (csr, nowMs) => !hasCertificate(csr) && isConditionOlder(csr, "Approved", nowMs - APPROVED_AGE_MS),
  },
];

function hasCertificate(csr: CertificateSigningRequest): boolean {
  return (csr.status?.certificate ?? "") !== "";
}

function isConditionOlder(csr: CertificateSigningRequest, type: string, beforeMs: number): boolean {
  const conditions: readonly CsrCondition[] = csr.status?.conditions ?? [];
  return conditions.some((condition) => condition.type === type && isOlder(condition.lastUpdateTime, beforeMs));
}

/** Strictly older. A time that is not there, or cannot be read, is never old. */
function isOlder(time: string | undefined, beforeMs: number): boolean {
  const ms = Date.parse(time ?? "");
  return Number.isFinite(ms) && ms < beforeMs;
}

/** A certificate that cannot be read does not count as expired. */
function isCertificateOver(csr: CertificateSigningRequest, nowMs: number): boolean {
  if (!hasCertificate(csr)) return false;
  try {
    const [block] = parsePemField(csr.status?.certificate ?? "").blocks;
    return block !== undefined && nowMs > parseCertificate(block.bytes).notAfterMs;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}
