// For judges that need what was read. What could not be read is refused here, in every such rule and not only in the one whose
// stage it was: no rule may rely on another having run before it.
import { type Finding, refuse } from "../../kernel/outcome/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";
import type { Envelope, EvidenceBlocks } from "../evidence/index.ts";
import type { EvidenceFacts } from "./facts.ts";
import type { Reading } from "./reading.ts";

export interface ReadEvidence {
  readonly blocks: EvidenceBlocks;
  readonly request: CertificateRequest;
  readonly signatureHolds: boolean;
  readonly envelope: Envelope;
  readonly wasSealed: boolean;
}

export function withEvidence<Facts extends EvidenceFacts>(
  judge: (read: ReadEvidence, facts: Facts) => Finding,
): (facts: Facts) => Finding {
  return (facts) => {
    const { blocks, request, envelope } = facts.reading;
    if (!blocks.ok) return refusalOf(blocks);
    if (!request.ok) return refusalOf(request);
    if (!envelope.ok) return refusalOf(envelope);
    const { parsed, signatureHolds } = request.value;
    const { parsed: read, wasSealed } = envelope.value;
    return judge({ blocks: blocks.value, request: parsed, signatureHolds, envelope: read, wasSealed }, facts);
  };
}

export function withReading<T>(reading: Reading<T>, judge: (value: T) => Finding): Finding {
  return reading.ok ? judge(reading.value) : refusalOf(reading);
}

function refusalOf(reading: { readonly reason: string; readonly message: string }): Finding {
  return refuse(reading.reason, reading.message);
}
