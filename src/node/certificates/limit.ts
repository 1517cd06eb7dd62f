// The bounded wait for a certificate.

import { type Limit, withinLimit as withinAnyLimit } from "../../platform/signals/index.ts";

export interface CertificateLimit extends Omit<Limit, "overdue"> {
  /** What is awaited now. */
  readonly awaited: () => string;
}

export function withinLimit<T>(limit: CertificateLimit, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { awaited, ...rest } = limit;
  const overdue = () => `no certificate after ${Math.round(limit.limitMs / 1_000)} s: ${awaited()}`;
  return withinAnyLimit({ ...rest, overdue }, act);
}
