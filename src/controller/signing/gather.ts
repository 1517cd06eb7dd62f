// A request → facts: reads of signing. Only the cache: the status may be written once, so a stale look costs a refused
// write and nothing else.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { readRequest } from "../approval/index.ts";
import type { Authority } from "./authority.ts";
import type { SigningFacts } from "./facts.ts";

/** RFC 5280 §4.1.2.2 allows 20; 16 random ones, as kube-controller-manager draws, never meet. */
const SERIAL_BYTES = 16;

export interface GatherOptions {
  readonly clock: Clock;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly authority: Authority;
  readonly servedSigners: readonly string[];
  readonly lifetimeMsOf: (signerName: string) => number;
}

export function gather(options: GatherOptions, csr: CertificateSigningRequest): SigningFacts {
  return {
    nowMs: options.clock.now(),
    csr,
    request: readRequest(csr.spec.request),
    servedSigners: options.servedSigners,
    ca: options.authority.certificate,
    lifetimeMs: options.lifetimeMsOf(csr.spec.signerName),
    serialNumber: options.randomBytes(SERIAL_BYTES),
  };
}
