// Private keys held by this process: generated or read, signing synchronously, written back in the form Kubernetes'
// tools write. The key material stays inside node:crypto; nothing here prints or serialises it by accident.
import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes as nodeRandomBytes,
  sign,
} from "node:crypto";
import { ALGORITHM_FACTS, type SignatureAlgorithm } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import { type PublicKey, parsePublicKey, type Signer } from "../../kernel/x509/index.ts";

export type KeyKind = "P-256" | "P-384" | "RSA-2048" | "Ed25519";

export interface PrivateKey {
  readonly signer: Signer;
  /** EC: SEC 1 "EC PRIVATE KEY"; RSA and Ed25519: PKCS#8 "PRIVATE KEY". A secret: files with it are 0600. */
  encodePem(): string;
}

const PRIVATE_KEY_LABELS: ReadonlySet<string> = new Set(["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]);

export function generatePrivateKey(kind: KeyKind): PrivateKey {
  switch (kind) {
    case "P-256":
    case "P-384":
      return holdKey(generateKeyPairSync("ec", { namedCurve: kind }).privateKey);
    case "RSA-2048":
      return holdKey(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
    case "Ed25519":
      return holdKey(generateKeyPairSync("ed25519").privateKey);
  }
}

/**
 * The first private key of the text: certificates before it (a kubelet's combined file) and EC PARAMETERS are passed
 * over.
 */
export function parsePrivateKey(pem: string): PrivateKey {
  const blocks = parsePem(pem);
  if (blocks.some(isEncrypted)) throw new Fault("unsupported", "private key must not be encrypted");
  const block = blocks.find(({ label }) => PRIVATE_KEY_LABELS.has(label));
  if (block === undefined) throw new Fault("malformed", "text must have a private key in PEM");
  return holdKey(importPrivateKey(encodePem(block.label, block.bytes)));
}

function isEncrypted({ label, headers }: { readonly label: string; readonly headers: readonly string[] }): boolean {
  return label === "ENCRYPTED PRIVATE KEY" || headers.some((header) => /^Proc-Type:.*ENCRYPTED/.test(header));
}

function importPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Fault("malformed", "private key must be PKCS#1, SEC 1 or PKCS#8", { cause });
  }
}

function holdKey(key: KeyObject): PrivateKey {
  const spki = new Uint8Array(createPublicKey(key).export({ type: "spki", format: "der" }));
  const algorithm = algorithmFor(parsePublicKey(spki));
  const type = key.asymmetricKeyType === "ec" ? "sec1" : "pkcs8";
  return {
    signer: createSigner(key, { publicKey: spki, algorithm }),
    encodePem: () => key.export({ type, format: "pem" }).toString(),
  };
}

function createSigner(
  key: KeyObject,
  facts: { readonly publicKey: Uint8Array; readonly algorithm: SignatureAlgorithm },
): Signer {
  const { hash, pssSaltLength } = ALGORITHM_FACTS[facts.algorithm];
  const padding =
    pssSaltLength === undefined ? key : { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: pssSaltLength };
  return { ...facts, sign: (bytes) => sign(hash, bytes, padding) };
}

/** The hash as strong as the key: client-go's choice for RSA, the curve's own size for EC. */
function algorithmFor({ algorithm, curve, bits = 0 }: PublicKey): SignatureAlgorithm {
  switch (algorithm) {
    case "Ed25519":
      return "Ed25519";
    case "EC":
      if (curve === "P-256") return "ECDSA-SHA256";
      return curve === "P-384" ? "ECDSA-SHA384" : "ECDSA-SHA512";
    case "RSA":
      if (bits >= 4096) return "RSA-PKCS1-SHA512";
      return bits >= 3072 ? "RSA-PKCS1-SHA384" : "RSA-PKCS1-SHA256";
  }
}

export function randomBytes(count: number): Uint8Array {
  return nodeRandomBytes(count);
}
