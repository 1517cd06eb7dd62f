// A certificate chain and its key in one text, as kubelet's store keeps it: certificates, leaf first, then the key. Reading
// one is what the exec plugin does for its living, so this file is alone in its folder and uses Node's own parser, not
// kernel/x509, which takes longer to load than the plugin may run: every pair passed the strict parser before it was stored.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { Fault } from "../../kernel/outcome/index.ts";

/** A chain of a dozen certificates with an RSA key is some 30 KB. */
export const PAIR_MAX_BYTES = 262_144;

export interface CertificatePair {
  /** The chain, leaf first. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** DER of the leaf. */
  readonly leaf: Uint8Array;
  /** Empty unless there is exactly one. */
  readonly commonName: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const CERTIFICATES = /^-----BEGIN CERTIFICATE-----$[^-]+^-----END CERTIFICATE-----$/gm;
const KEY = /^-----BEGIN ((?:EC |RSA )?PRIVATE KEY)-----$[^-]+^-----END \1-----$/m;

export function parsePair(text: string): CertificatePair {
  const certificates = text.match(CERTIFICATES) ?? [];
  const [key] = KEY.exec(text) ?? [];
  const [first] = certificates;
  if (first === undefined) throw new Fault("malformed", "the pair holds no certificate");
  if (key === undefined) throw new Fault("malformed", "the pair holds no private key");
  const leaf = readLeaf(first, key);
  return {
    certificatePem: `${certificates.join("\n")}\n`,
    keyPem: `${key}\n`,
    leaf: leaf.raw,
    commonName: commonNameOf(leaf),
    notBeforeMs: Date.parse(leaf.validFrom),
    notAfterMs: Date.parse(leaf.validTo),
  };
}

export function encodePair(certificatePem: string, keyPem: string): string {
  return `${certificatePem.trim()}\n${keyPem.trim()}\n`;
}

function readLeaf(certificatePem: string, keyPem: string): X509Certificate {
  let leaf: X509Certificate;
  let isMatch: boolean;
  try {
    leaf = new X509Certificate(certificatePem);
    isMatch = leaf.checkPrivateKey(createPrivateKey(keyPem));
  } catch (cause) {
    throw new Fault("malformed", "the pair's certificate or key is unreadable", { cause });
  }
  if (!isMatch) throw new Fault("malformed", "the pair's key is not the key of its certificate");
  return leaf;
}

/**
 * The subject is one `NAME=value` a line, with line ends and other odd characters in a value escaped, so a value cannot
 * pose as a line. Several common names are nobody's: a node certificate has one.
 */
function commonNameOf({ subject }: X509Certificate): string {
  const names = [...(subject ?? "").matchAll(/^CN=(.*)$/gm)];
  return names.length === 1 ? (names[0]?.[1] ?? "") : "";
}
