// X.509 certificates (RFC 5280 §4.1). Parsing keeps every raw slice, reads the extensions the product knows and refuses
// a malformed one of them; whether the certificate is trusted is decided in chain/.

import { equalBytes } from "../bytes/index.ts";
import type { SignatureAlgorithm } from "../crypto/index.ts";
import {
  contextConstructed,
  contextPrimitive,
  type DerReader,
  readBitString,
  readOctetsInBitString,
  readSmallUnsigned,
  readTimeMs,
  readUnsigned,
  readWholeSequence,
  TAG,
} from "../der/index.ts";
import { Fault, isFault } from "../outcome/index.ts";
import { parsePem } from "../pem/index.ts";
import { signatureAlgorithmOf } from "./algorithm.ts";
import { type Extension, readExtensions } from "./extensions/extension.ts";
import { type KnownExtensions, parseKnownExtensions } from "./extensions/known.ts";
import { type Name, readName } from "./name.ts";
import { type PublicKey, parsePublicKey } from "./public-key.ts";

export interface Certificate extends KnownExtensions {
  readonly raw: Uint8Array;
  /** The bytes under the signature. */
  readonly tbs: Uint8Array;
  readonly version: 1 | 2 | 3;
  /** Magnitude without leading zeros. */
  readonly serialNumber: Uint8Array;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly publicKey: PublicKey;
  readonly signatureAlgorithm: SignatureAlgorithm | "unsupported";
  readonly signature: Uint8Array;
  readonly extensions: readonly Extension[];
}

/** Certificates have 1 to 4 KiB; the largest with hundreds of names stay under 64. */
const MAX_CERTIFICATE_OCTETS = 256 * 1024;
/** RFC 5280 §4.1.2.2. As magnitude: older issuers drew 20 random octets, and half of those need a 21st for the sign. */
const MAX_SERIAL_OCTETS = 20;

export function parseCertificate(der: Uint8Array): Certificate {
  if (der.length > MAX_CERTIFICATE_OCTETS) {
    throw new Fault("limit-exceeded", `certificate is larger than ${MAX_CERTIFICATE_OCTETS} octets`);
  }
  return readWholeSequence(der, (content) => {
    const tbs = content.readRaw(TAG.sequence);
    const outerAlgorithm = content.readRaw(TAG.sequence);
    const signature = readOctetsInBitString(content);
    const { innerAlgorithm, ...fields } = readWholeSequence(tbs, readTbs);
    if (!equalBytes(innerAlgorithm, outerAlgorithm)) {
      throw new Fault("malformed", "certificate must name the same signature algorithm inside and outside");
    }
    return { raw: der, tbs, signatureAlgorithm: signatureAlgorithmOf(outerAlgorithm), signature, ...fields };
  });
}

function readTbs(content: DerReader) {
  const version = readVersion(content);
  const serialNumber = readSerialNumber(content);
  const innerAlgorithm = content.readRaw(TAG.sequence);
  const issuer = readName(content);
  const validity = content.enter(TAG.sequence);
  const notBeforeMs = readTimeMs(validity);
  const notAfterMs = readTimeMs(validity);
  validity.finish();
  const subject = readName(content);
  const publicKey = parsePublicKey(content.readRaw(TAG.sequence));
  skipUniqueIds(content, version);
  const extensions = readOptionalExtensions(content, version);
  const names = { issuer, subject, notBeforeMs, notAfterMs };
  return {
    version,
    serialNumber,
    innerAlgorithm,
    ...names,
    publicKey,
    extensions,
    ...parseKnownExtensions(extensions),
  };
}

function readVersion(content: DerReader): 1 | 2 | 3 {
  const explicit = content.enterOptional(contextConstructed(0));
  if (explicit === undefined) return 1;
  const number = readSmallUnsigned(explicit);
  explicit.finish();
  if (number === 1) return 2;
  if (number === 2) return 3;
  throw new Fault(
    "malformed",
    number === 0 ? "DER must leave out version 1" : `certificate version must be 1 to 3, got ${number + 1}`,
  );
}

function readSerialNumber(content: DerReader): Uint8Array {
  const serialNumber = readUnsigned(content);
  if (serialNumber.length > MAX_SERIAL_OCTETS) {
    throw new Fault("limit-exceeded", `serial number must have at most ${MAX_SERIAL_OCTETS} octets`);
  }
  return serialNumber;
}

/** Unique identifiers of version 2 were never used in practice: their form is checked, their content ignored. */
function skipUniqueIds(content: DerReader, version: number): void {
  for (const tag of [contextPrimitive(1), contextPrimitive(2)]) {
    if (content.nextTag !== tag) continue;
    if (version === 1) throw new Fault("malformed", "certificate of version 1 must not have unique identifiers");
    readBitString(content, tag);
  }
}

function readOptionalExtensions(content: DerReader, version: number): readonly Extension[] {
  const explicit = content.enterOptional(contextConstructed(3));
  if (explicit === undefined) return [];
  if (version !== 3) throw new Fault("malformed", "certificate with extensions must be of version 3");
  const extensions = readExtensions(explicit);
  explicit.finish();
  return extensions;
}

/**
 * By which key an authority was last seen to be signed: the same few stand above every leaf, and neither of the two can
 * change.
 */
const SIGNED_BY = new WeakMap<Certificate, PublicKey>();

export function verifyCertificateSignature(certificate: Certificate, issuerKey: PublicKey): boolean {
  if (SIGNED_BY.get(certificate) === issuerKey) return true;
  const { signatureAlgorithm: algorithm, tbs: bytes, signature } = certificate;
  const holds = algorithm !== "unsupported" && issuerKey.verifier.verify({ algorithm, bytes, signature });
  if (holds && certificate.basicConstraints?.ca === true) SIGNED_BY.set(certificate, issuerKey);
  return holds;
}

// A PEM text with several certificates: a chain, leaf first, or a set of roots. Other blocks in it are passed over.

/** Fault `malformed` when one of them does not parse. */
export function parseCertificates(pem: string): readonly Certificate[] {
  return parsePem(pem)
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ bytes }) => parseCertificate(bytes));
}

/**
 * Empty when there is none, or when one of them does not parse: half a chain or half a set of roots is not
 * what was meant.
 */
export function readCertificates(pem: string): readonly Certificate[] {
  try {
    return parseCertificates(pem);
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}
