// The identifier octets of the ASN.1 types X.509 uses (X.690 §8.1.2). Only low tag numbers occur, so a tag is one
// octet.

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
} as const;

/** [n] IMPLICIT over a primitive type. */
export function contextPrimitive(number: number): number {
  return 0x80 | number;
}

/** [n] EXPLICIT, or [n] IMPLICIT over a constructed type. */
export function contextConstructed(number: number): number {
  return 0xa0 | number;
}

export function tagText(tag: number): string {
  return `0x${tag.toString(16).padStart(2, "0")}`;
}
