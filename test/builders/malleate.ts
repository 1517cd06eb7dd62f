// ECDSA signatures as anybody can change them without the key: (r, s) and (r, n − s) are both valid. Whatever is named
// or counted by its signature can be doubled this way.

import { encodeBlocks, encodeEnvelope, parseBlocks, parseEnvelope } from "../../src/attestation/evidence/index.ts";
import { encodeHex, parseHex } from "../../src/kernel/bytes/index.ts";
import {
  encodeBitString,
  encodeSequence,
  encodeUnsigned,
  readOctetsInBitString,
  readUnsigned,
  readWholeSequence,
  TAG,
} from "../../src/kernel/der/index.ts";
import { assert } from "../../src/kernel/outcome/index.ts";
import { ALGORITHM } from "../../src/kernel/tpm/index.ts";
import { encodeEcdsaSignature } from "../../src/kernel/tpm/signature.ts";

/** Of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const SCALAR_OCTETS = 32;

/** `spec.request` with evidence, the PKCS#10 in it signed otherwise. */
export function malleatePkcs10(bytes: Uint8Array): Uint8Array {
  const { request, protocol, content } = parseBlocks(bytes);
  assert(protocol !== undefined, "evidence has its provider's block");
  return encodeBlocks({ request: malleateRequest(request), protocol, content });
}

/** `spec.request` with a proof, the quote in it signed otherwise. */
export function malleateQuote(bytes: Uint8Array): Uint8Array {
  const { request, protocol, content } = parseBlocks(bytes);
  assert(protocol !== undefined, "evidence has its provider's block");
  const envelope = parseEnvelope(content, protocol);
  assert(envelope.body.kind === "tpm-proof", "only a proof has a quote");
  const body = { ...envelope.body, signature: malleateSignature(envelope.body.signature) };
  return encodeBlocks({ request, protocol, content: encodeEnvelope({ ...envelope, body }) });
}

/** A PKCS#10 request signed by a P-256 key. */
function malleateRequest(der: Uint8Array): Uint8Array {
  return readWholeSequence(der, (content) => {
    const info = content.readRaw(TAG.sequence);
    const algorithm = content.readRaw(TAG.sequence);
    const [r, s] = readWholeSequence(readOctetsInBitString(content), (scalars) => [
      readUnsigned(scalars),
      readUnsigned(scalars),
    ]);
    const changed = encodeSequence([encodeUnsigned(r), encodeUnsigned(otherScalar(s))]);
    return encodeSequence([info, algorithm, encodeBitString(changed)]);
  });
}

/** TPMT_SIGNATURE of a P-256 key: scheme, hash, and two scalars with their sizes. */
function malleateSignature(signature: Uint8Array): Uint8Array {
  const r = sizedAt(signature, 4);
  const s = sizedAt(signature, 6 + r.length);
  return encodeEcdsaSignature(ALGORITHM.sha256, { r, s: otherScalar(s) });
}

function sizedAt(bytes: Uint8Array, offset: number): Uint8Array {
  const length = ((bytes[offset] ?? 0) << 8) | (bytes[offset + 1] ?? 0);
  return bytes.subarray(offset + 2, offset + 2 + length);
}

function otherScalar(s: Uint8Array): Uint8Array {
  return parseHex((ORDER - BigInt(`0x${encodeHex(s)}`)).toString(16).padStart(2 * SCALAR_OCTETS, "0"));
}
