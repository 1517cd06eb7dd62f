// A certificate chain and its key in one text, as kubelet's store keeps it: certificates, leaf first, then the key,
// which may be sealed by the machine's TPM (sealed-key.ts); what the certificate says can then be read, and the key is
// opened when it is needed. Reading one is most of what the exec plugin does, so nothing here loads kernel/x509
// or node:crypto, each of which takes longer to load than the rest of a plugin run: the few fields are read from the
// DER, and the key is held against the certificate by the public half that key files carry. Every pair passed the
// strict parser before it was stored.

import { equalBytes, parseBase64Lenient } from "../../kernel/bytes/index.ts";
import { contextConstructed, DerReader, encodeSequence, readOctetsInBitString, TAG } from "../../kernel/der/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type LeafFields, readLeafFields } from "./leaf-fields.ts";
import { type KeySeal, type KeyUse, parseSealedKey, SEALED_KEY_LABEL } from "./sealed-key.ts";

/** A chain of a dozen certificates with an RSA key is some 30 KB. */
export const PAIR_MAX_BYTES = 262_144;

/** What is known of a pair without its key. */
export interface PairCertificate extends LeafFields {
  /** The chain, leaf first. */
  readonly certificatePem: string;
  /** DER of the leaf. */
  readonly leaf: Uint8Array;
}

export interface CertificatePair extends PairCertificate {
  readonly keyPem: string;
  readonly sealedKey?: undefined;
}

interface SealedPair extends PairCertificate {
  /** A PEM block `COUNTERSIGN SEALED KEY`. */
  readonly sealedKey: string;
  readonly keyPem?: undefined;
}

/** As it lies on the disk. */
export type StoredPair = CertificatePair | SealedPair;

export function isSealed(pair: StoredPair): pair is SealedPair {
  return pair.sealedKey !== undefined;
}

/** The block that stands behind the certificates: the key, or the sealed one. */
export function keyBlockOf(pair: StoredPair): string {
  return isSealed(pair) ? pair.sealedKey : pair.keyPem;
}

const CERTIFICATES = /^-----BEGIN CERTIFICATE-----$[^-]+^-----END CERTIFICATE-----$/gm;
const KEY = /^-----BEGIN ((?:EC |RSA )?PRIVATE KEY|COUNTERSIGN SEALED KEY)-----$[^-]+^-----END \1-----$/m;

/** For callers that take a plain key only, because it comes from outside of a store. */
export function parsePair(text: string): CertificatePair {
  const pair = parseStoredPair(text);
  if (isSealed(pair)) throw new Fault("unsupported", "the pair's key is sealed, and a plain one is needed here");
  return pair;
}

export function parseStoredPair(text: string): StoredPair {
  const certificates = text.match(CERTIFICATES) ?? [];
  const [key, keyLabel = ""] = KEY.exec(text) ?? [];
  const [first] = certificates;
  if (first === undefined) throw new Fault("malformed", "the pair holds no certificate");
  if (key === undefined) throw new Fault("malformed", "the pair holds no private key");
  const leaf = readable(() => bytesOf(first));
  const certificate = {
    certificatePem: `${certificates.join("\n")}\n`,
    leaf,
    ...readable(() => readLeafFields(leaf)),
  };
  if (keyLabel === SEALED_KEY_LABEL) {
    parseSealedKey(readable(() => bytesOf(key)));
    return { ...certificate, sealedKey: `${key}\n` };
  }
  const pair = { ...certificate, keyPem: `${key}\n` };
  requireMatch(
    pair,
    readable(() => readPublicHalf(keyLabel, bytesOf(key))),
  );
  return pair;
}

export function encodePair(certificatePem: string, keyPem: string): string {
  return `${certificatePem.trim()}\n${keyPem.trim()}\n`;
}

function requireMatch({ leaf, keyPem, publicKey }: CertificatePair, publicHalf: Uint8Array | undefined): void {
  const isMatch = publicHalf === undefined ? isKeyOf(leaf, keyPem) : equalBytes(publicKey, publicHalf);
  if (!isMatch) throw new Fault("malformed", "the pair's key is not the key of its certificate");
}

/**
 * A key without its public half (PKCS#8 Ed25519, some EC files) has to be computed with; only then is node:crypto
 * loaded.
 */
function isKeyOf(leaf: Uint8Array, keyPem: string): boolean {
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule("node:crypto");
  try {
    return new X509Certificate(leaf).checkPrivateKey(createPrivateKey(keyPem));
  } catch (cause) {
    throw unreadable(cause);
  }
}

function bytesOf(block: string): Uint8Array {
  const body = block.slice(block.indexOf("\n"), block.lastIndexOf("\n"));
  return parseBase64Lenient(body.replaceAll(/\s/g, ""));
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): Fault {
  return new Fault("malformed", "the pair's certificate or key is unreadable", { cause });
}

// From a pair as it is stored to one that can be used: a plain one as it is, a sealed one by its seal.

/** `keySeal`: this machine's, where it has one. The key is held against the certificate once more. */
export async function openPair(pair: StoredPair, keySeal: KeySeal | undefined): Promise<CertificatePair> {
  if (!isSealed(pair)) return pair;
  if (keySeal === undefined) {
    throw new Fault("bad-config", "the key of this certificate is sealed by the TPM, and no TPM is asked for", {
      detail: { todo: "name the provider that sealed it: --provider tpm, and --tpm where it is not /dev/tpmrm0" },
    });
  }
  return parsePair(encodePair(pair.certificatePem, await keySeal.open(pair.sealedKey, useOf(pair))));
}

/** A certificate's key opens for that certificate's public key alone. */
export function useOf({ publicKey }: Pick<StoredPair, "publicKey">): KeyUse {
  return { purpose: "certificate", bound: publicKey };
}

// The public key that stands in a private key's file, in the form of a certificate's subjectPublicKey: SEC 1 (RFC 5915)
// and PKCS#1 (RFC 8017 A.1.2), bare or inside PKCS#8 (RFC 5958). Absent where the file does not carry it.

/** 1.2.840.10045.2.1 and 1.2.840.113549.1.1.1 */
const EC_KEY = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01);
const RSA_KEY = Uint8Array.of(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01);

function readPublicHalf(label: string, der: Uint8Array): Uint8Array | undefined {
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
