// `spec.request` with evidence, read stage by stage: size, blocks, PKCS#10, envelope. Each stage is a value or the
// reason of its refusal, so that each rule speaks of its own stage, and nothing is parsed when the size is wrong.

import { isFault } from "../../kernel/outcome/index.ts";
import { type CertificateRequest, parseCertificateRequest, verifyRequestSignature } from "../../kernel/x509/index.ts";
import {
  type Envelope,
  type EvidenceBlocks,
  isSealed,
  MAX_REQUEST_OCTETS,
  openEnvelope,
  type Protocol,
  parseBlocks,
  parseEnvelope,
  type RecipientKey,
} from "../evidence/index.ts";

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string; readonly message: string };

export interface EvidenceReading {
  readonly octets: number;
  readonly blocks: Reading<EvidenceBlocks>;
  readonly request: Reading<ReadPkcs10>;
  readonly envelope: Reading<{ readonly parsed: Envelope; readonly wasSealed: boolean }>;
}

interface ReadOptions {
  /** The provider that the signer names: the older form of evidence is its version 0. */
  readonly signerProvider: string;
  /** To open sealed evidence. */
  readonly recipients: readonly RecipientKey[];
  /** The PKCS#10 with these bytes, where it was read before. */
  readonly readPkcs10?: ((der: Uint8Array) => ReadPkcs10 | undefined) | undefined;
}

interface ReadPkcs10 {
  readonly parsed: CertificateRequest;
  readonly signatureHolds: boolean;
}

export function readEvidence(bytes: Uint8Array, options: ReadOptions): EvidenceReading {
  const octets = bytes.length;
  if (octets > MAX_REQUEST_OCTETS) {
    const tooLarge = failed("RequestTooLarge", `request must have at most ${MAX_REQUEST_OCTETS} octets, got ${octets}`);
    return { octets, blocks: tooLarge, request: tooLarge, envelope: tooLarge };
  }
  const blocks = attempt("EnvelopeMalformed", () => parseBlocks(bytes));
  if (!blocks.ok) return { octets, blocks, request: blocks, envelope: blocks };
  const request = attempt("RequestMalformed", () => {
    const known = options.readPkcs10?.(blocks.value.request);
    if (known !== undefined) return known;
    const parsed = parseCertificateRequest(blocks.value.request);
    return { parsed, signatureHolds: verifyRequestSignature(parsed) };
  });
  return { octets, blocks, request, envelope: readEnvelope(blocks.value, request, options) };
}

function readEnvelope(
  { protocol, content }: EvidenceBlocks,
  request: EvidenceReading["request"],
  { signerProvider, recipients }: ReadOptions,
): EvidenceReading["envelope"] {
  const wasSealed = isSealed(content);
  const used: Protocol = protocol ?? { provider: signerProvider, version: 0 };
  if (!wasSealed) return attempt("EnvelopeMalformed", () => ({ parsed: parseEnvelope(content, used), wasSealed }));
  if (!request.ok) return request;
  const opened = attempt("EnvelopeUnreadable", () => openEnvelope(content, recipients, request.value.parsed.tbs));
  if (!opened.ok) return opened;
  return attempt("EnvelopeMalformed", () => ({ parsed: parseEnvelope(opened.value, used), wasSealed }));
}

/** A parser's Fault as the refusal of its stage. */
export function attempt<T>(reason: string, read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() };
  } catch (fault) {
    if (!isFault(fault)) throw fault;
    return failed(reason, fault.message);
  }
}

function failed(
  reason: string,
  message: string,
): { readonly ok: false; readonly reason: string; readonly message: string } {
  return { ok: false, reason, message };
}
