// Do signers issue certificates that are valid as long as requested? Counted when a request that names a duration gets
// its certificate. Behaviour of countCSRDurationMetric in kubernetes/pkg/registry/certificates/certificates/storage.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { parsePemField } from "../../api/pem/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import { prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import type { Meter } from "./meter.ts";

type Csr = CertificateSigningRequest;

/**
 * Signers backdate and round: a difference of so much, or of a twentieth of the duration, still counts as requested.
 */
const LEEWAY_MS = 5 * 60_000;

/** Returns a function that stops following. */
export function followIssued(storage: Storage, meter: Pick<Meter, "issued">): () => void {
  return storage.watch(prefixOf(CSRS), storage.revision(), ({ type, object, previous }) => {
    if (type !== "MODIFIED" || isIssued(previous as Csr) || !isIssued(object as Csr)) return;
    const { spec, status } = object as Csr;
    const livedMs = lifetimeOf(status?.certificate ?? "");
    if (spec.expirationSeconds === undefined || livedMs === undefined) return;
    const askedMs = spec.expirationSeconds * 1_000;
    meter.issued(spec.signerName, Math.abs(askedMs - livedMs) < LEEWAY_MS + askedMs / 20);
  });
}

function isIssued(csr: Csr): boolean {
  return (csr.status?.certificate ?? "") !== "";
}

/** Of the first certificate; undefined for one that this server can no longer read. */
function lifetimeOf(certificate: string): number | undefined {
  try {
    const [block] = parsePemField(certificate).blocks;
    if (block === undefined) return undefined;
    const { notBeforeMs, notAfterMs } = parseCertificate(block.bytes);
    return notAfterMs - notBeforeMs;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
