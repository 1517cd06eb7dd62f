// A certificate chain and its key in one text, as kubelet's store keeps it: certificates, leaf first, then the key, which may be
// sealed by the machine's TPM (sealed-key.ts); what the certificate says can then be read, and the key is opened when it is needed. Reading
// one is what the exec plugin does for its living, so nothing here loads kernel/x509 or node:crypto, each of which takes
// longer to load than the rest of a plugin run: the few fields are read from the DER, and the key is held against the
// certificate by the public half that key files carry. Every pair passed the strict parser before it was stored.

import { equalBytes, parseBase64Lenient } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type LeafFields, readLeafFields } from "./leaf-fields.ts";
import { readPublicHalf } from "./public-half.ts";
import { parseSealedKey, SEALED_KEY_LABEL } from "./sealed-key.ts";

/** A chain of a dozen certificates with an RSA key is some 30 KB. */
export const PAIR_MAX_BYTES = 262_144;

/** What can be said of a pair without its key. */
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

export interface SealedPair extends PairCertificate {
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

/** For whoever takes a plain key only, because it comes from outside of a store. */
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

/** A key without its public half (PKCS#8 Ed25519, some EC files) has to be computed with; only then is node:crypto loaded. */
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
