// Everything that signing may know about one request and the authority it signs with.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";
import type { RequestReading } from "../approval/facts.ts";

export interface SigningFacts {
  readonly nowMs: number;
  readonly csr: CertificateSigningRequest;
  readonly request: RequestReading;
  readonly servedSigners: readonly string[];
  /** The authority's own certificate. */
  readonly ca: Certificate;
  /** The longest life this signer gives. */
  readonly lifetimeMs: number;
  /** Drawn at random, for the case that a certificate is made; 16 bytes, unsigned. */
  readonly serialNumber: Uint8Array;
}
