// What validateChain answers. A refusal is a value with a token for machines and a sentence for people.
import type { Certificate } from "../certificate.ts";

/** In the order of the checks. */
const CHAIN_REFUSALS = [
  "NotYetValid",
  "Expired",
  "WeakKey",
  "ProfileViolated",
  "UnknownCriticalExtension",
  "NameMismatch",
  "UsageNotAllowed",
  "UntrustedIssuer",
  "IssuerIsNotCa",
  "PathTooLong",
  "NameNotPermitted",
  "LimitExceeded",
] as const;

type ChainRefusalReason = (typeof CHAIN_REFUSALS)[number];

export interface ChainRefusal {
  readonly ok: false;
  readonly reason: ChainRefusalReason;
  readonly message: string;
}

interface ChainAcceptance {
  readonly ok: true;
  /** From the leaf to the root. */
  readonly chain: readonly Certificate[];
}

export type ChainResult = ChainAcceptance | ChainRefusal;

export function refuseChain(reason: ChainRefusalReason, message: string): ChainRefusal {
  return { ok: false, reason, message };
}

/** Common names are untrusted: quoted, so that a line break cannot forge a log line, and cut. */
const SHOWN_LENGTH = 80;

export function shown(certificate: Certificate): string {
  const { commonName } = certificate.subject;
  return commonName === undefined ? "without common name" : JSON.stringify(commonName.slice(0, SHOWN_LENGTH));
}
