// The few fields of a certificate that presenting it takes (RFC 5280 §4.1), read in passing: whom it names, from when
// to when, and which key. Not a verifier, and not the parser for a certificate that comes from outside: that is
// kernel/x509.

import { equalBytes } from "../../kernel/bytes/index.ts";
import {
  contextConstructed,
  DerReader,
  parseString,
  readOctetsInBitString,
  readTimeMs,
  TAG,
} from "../../kernel/der/index.ts";

export interface LeafFields {
  /** Empty unless there is exactly one, as in a node certificate. */
  readonly commonName: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The content of subjectPublicKey: a point, or the sequence of an RSA key's two numbers. */
  readonly publicKey: Uint8Array;
}

/** 2.5.4.3 */
const COMMON_NAME = Uint8Array.of(0x55, 0x04, 0x03);

export function readLeafFields(der: Uint8Array): LeafFields {
  const tbs = DerReader.over(der).enter(TAG.sequence).enter(TAG.sequence);
  tbs.enterOptional(contextConstructed(0)); // version
  tbs.read(TAG.integer); // serial number
  tbs.read(TAG.sequence); // signature algorithm
  tbs.read(TAG.sequence); // issuer
  const validity = tbs.enter(TAG.sequence);
  const [notBeforeMs, notAfterMs] = [readTimeMs(validity), readTimeMs(validity)];
  const commonName = readCommonName(tbs.enter(TAG.sequence));
  const key = tbs.enter(TAG.sequence);
  key.read(TAG.sequence); // algorithm
  return { commonName, notBeforeMs, notAfterMs, publicKey: readOctetsInBitString(key) };
}

function readCommonName(name: DerReader): string {
  const found: string[] = [];
  while (!name.isEmpty) {
    const set = name.enter(TAG.set);
    while (!set.isEmpty) {
      const attribute = set.enter(TAG.sequence);
      if (!equalBytes(attribute.read(TAG.oid), COMMON_NAME)) continue;
      const tag = attribute.nextTag ?? TAG.null;
      found.push(parseString(tag, attribute.read(tag)));
    }
  }
  return found.length === 1 ? (found[0] ?? "") : "";
}
