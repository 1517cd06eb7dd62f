// Everything that signing may know about one request and the authority it signs with.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";
import type { RequestReading } from "../judging/facts.ts";

export interface SigningFacts {
  readonly nowMs: number;
  readonly csr: CertificateSigningRequest;
  readonly request: RequestReading;
  readonly servedSigners: readonly string[];
  /** The authority's own certificate. */
  readonly ca: Certificate;
  /** Ids of stricter rules that the operator does not want. */
  readonly switchedOff: readonly string[];
  /** The longest life that signer and policy give. */
  readonly lifetimeMs: number;
  /** Drawn at random, for the case that a certificate is made; 16 bytes, unsigned. */
  readonly serialNumber: Uint8Array;
}
