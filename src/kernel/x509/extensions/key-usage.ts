// keyUsage (RFC 5280 §4.2.1.3) and extKeyUsage (§4.2.1.12): what the key may be used for.
import {
  DerReader,
  encodeNamedBits,
  encodeOid,
  encodeSequence,
  readBitString,
  readOid,
  readWholeSequence,
} from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { OID_EXT_KEY_USAGE, OID_KEY_USAGE } from "../oids.ts";
import type { Extension } from "./extension.ts";

/** In the order of their bits. */
export const KEY_USAGES = [
  "digitalSignature",
  "contentCommitment",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
] as const;

export type KeyUsage = (typeof KEY_USAGES)[number];

/** A certificate has one to three purposes. */
const MAX_PURPOSES = 64;

/** Trailing zero bits are not DER (X.690 §11.2.2), but public roots have them and they have one reading only. */
export function parseKeyUsage(value: Uint8Array): readonly KeyUsage[] {
  const reader = DerReader.over(value);
  const { bytes } = readBitString(reader);
  reader.finish();
  const bits = Array.from(
    { length: bytes.length * 8 },
    (_, bit) => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0,
  );
  if (bits.lastIndexOf(true) >= KEY_USAGES.length) throw new Fault("malformed", "key usage has unknown bits");
  const usages = KEY_USAGES.filter((_, bit) => bits[bit]);
  if (usages.length === 0) throw new Fault("malformed", "key usage must name at least one use");
  return usages;
}

export function keyUsageExtension(usages: readonly KeyUsage[]): Extension {
  if (usages.length === 0) throw new Fault("invalid", "key usage must name at least one use");
  const bits = usages.map((usage) => KEY_USAGES.indexOf(usage));
  return { oid: OID_KEY_USAGE, critical: true, value: encodeNamedBits(bits) };
}

export function parseExtKeyUsage(value: Uint8Array): readonly string[] {
  return readWholeSequence(value, (content) => {
    const purposes: string[] = [];
    while (!content.isEmpty) {
      if (purposes.length === MAX_PURPOSES)
        throw new Fault("limit-exceeded", `more than ${MAX_PURPOSES} extended key usages`);
      purposes.push(readOid(content));
    }
    if (purposes.length === 0) throw new Fault("malformed", "extended key usage must name at least one purpose");
    return purposes;
  });
}

export function extKeyUsageExtension(oids: readonly string[]): Extension {
  if (oids.length === 0) throw new Fault("invalid", "extended key usage must name at least one purpose");
  return { oid: OID_EXT_KEY_USAGE, critical: false, value: encodeSequence(oids.map(encodeOid)) };
}
