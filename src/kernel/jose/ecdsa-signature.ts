// The two spellings of an ECDSA signature: X.509 and OpenSSL write SEQUENCE { r, s } in DER, JOSE writes r and s side by
// side, each as long as the curve's field (RFC 7518 §3.4).
import { concatBytes } from "../bytes/index.ts";
import { encodeSequence, encodeUnsigned, readUnsigned, readWholeSequence } from "../der/index.ts";

/** Undefined when the length is not twice that of a half: no other spelling of a signature is accepted. */
export function derFromRaw(raw: Uint8Array, octets: number): Uint8Array | undefined {
  if (raw.length !== 2 * octets) return undefined;
  return encodeSequence([encodeUnsigned(raw.subarray(0, octets)), encodeUnsigned(raw.subarray(octets))]);
}

export function rawFromDer(der: Uint8Array, octets: number): Uint8Array {
  return readWholeSequence(der, (content) => {
    const halves = [readUnsigned(content), readUnsigned(content)];
    return concatBytes(halves.map((half) => concatBytes([new Uint8Array(octets - half.length), half])));
  });
}
