// An EK certificate as TPM makers leave it in NV storage: plain DER, DER with padding behind it, or wrapped in a header of
// five octets (10 01 00, then the length).
import { DerReader, TAG } from "../der/index.ts";
import { Fault } from "../outcome/index.ts";

const WRAPPED = [0x10, 0x01, 0x00] as const;
const WRAPPER_OCTETS = 5;

export function cutNvCertificate(content: Uint8Array): Uint8Array {
  const isWrapped = WRAPPED.every((octet, index) => content[index] === octet);
  const body = isWrapped ? content.subarray(WRAPPER_OCTETS) : content;
  if (body[0] !== TAG.sequence) throw new Fault("malformed", "NV index must hold a certificate in DER");
  return DerReader.over(body).readRaw(TAG.sequence);
}
