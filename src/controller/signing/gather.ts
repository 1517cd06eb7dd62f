// A request → facts: reads of signing. Only the cache: the status may be written once, so a stale look costs a refused
// write and nothing else.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { type RequestReader, readRequest } from "../judging/reading.ts";
import type { Authorities, Authority } from "./authorities.ts";
import type { SigningFacts } from "./facts.ts";

/** RFC 5280 §4.1.2.2 allows 20; 16 random ones, as kube-controller-manager draws, never meet. */
const SERIAL_BYTES = 16;

export interface SigningSources {
  readonly clock: Clock;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly authorities: Authorities;
  readonly servedSigners: readonly string[];
  /** The longest life for this request: its signer's, or what a policy says. */
  readonly lifetimeMsOf: (csr: CertificateSigningRequest) => number;
  /** Default: without a memory. */
  readonly readRequest?: RequestReader["plain"] | undefined;
  /** Ids of stricter rules that do not hold for this request. Default: none. */
  readonly switchedOffFor?: ((csr: CertificateSigningRequest) => readonly string[]) | undefined;
}

export function gatherSigning(
  options: SigningSources,
  csr: CertificateSigningRequest,
  { certificate: ca }: Authority,
): SigningFacts {
  return {
    nowMs: options.clock.now(),
    csr,
    request: options.readRequest?.(csr) ?? readRequest(csr.spec.request),
    servedSigners: options.servedSigners,
    ca,
    switchedOff: options.switchedOffFor?.(csr) ?? [],
    lifetimeMs: options.lifetimeMsOf(csr),
    serialNumber: options.randomBytes(SERIAL_BYTES),
  };
}
