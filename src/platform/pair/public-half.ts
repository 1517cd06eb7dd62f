// The public key that stands in a private key's file, in the form of a certificate's subjectPublicKey: SEC 1 (RFC 5915)
// and PKCS#1 (RFC 8017 A.1.2), bare or inside PKCS#8 (RFC 5958). Absent where the file does not carry it.

import { equalBytes } from "../../kernel/bytes/index.ts";
import { contextConstructed, DerReader, encodeSequence, readOctetsInBitString, TAG } from "../../kernel/der/index.ts";

/** 1.2.840.10045.2.1 and 1.2.840.113549.1.1.1 */
const EC_KEY = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01);
const RSA_KEY = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01);

export function readPublicHalf(label: string, der: Uint8Array): Uint8Array | undefined {
  if (label === "EC PRIVATE KEY") return readSec1(der);
  if (label === "RSA PRIVATE KEY") return readPkcs1(der);
  return readPkcs8(der);
}

function readSec1(der: Uint8Array): Uint8Array | undefined {
  const key = DerReader.over(der).enter(TAG.sequence);
  key.read(TAG.integer); // version
  key.read(TAG.octetString); // the secret
  key.enterOptional(contextConstructed(0)); // curve
  const point = key.enterOptional(contextConstructed(1));
  return point === undefined ? undefined : readOctetsInBitString(point);
}

function readPkcs1(der: Uint8Array): Uint8Array {
  const key = DerReader.over(der).enter(TAG.sequence);
  key.read(TAG.integer); // version
  return encodeSequence([key.readRaw(TAG.integer), key.readRaw(TAG.integer)]);
}

function readPkcs8(der: Uint8Array): Uint8Array | undefined {
  const info = DerReader.over(der).enter(TAG.sequence);
  info.read(TAG.integer); // version
  const algorithm = info.enter(TAG.sequence).read(TAG.oid);
  const key = info.read(TAG.octetString);
  if (equalBytes(algorithm, EC_KEY)) return readSec1(key);
  return equalBytes(algorithm, RSA_KEY) ? readPkcs1(key) : undefined;
}
