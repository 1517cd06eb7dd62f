import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { encodePem } from "../../kernel/pem/index.ts";
import { parsePublicKey } from "../../kernel/x509/index.ts";
import { generatePrivateKey, parsePrivateKey, randomBytes } from "./index.ts";

const bytes = randomBytes(100);

describe("private keys", () => {
  const kinds = [
    ["P-256", "ECDSA-SHA256", "EC PRIVATE KEY"],
    ["P-384", "ECDSA-SHA384", "EC PRIVATE KEY"],
    ["RSA-2048", "RSA-PKCS1-SHA256", "PRIVATE KEY"],
    ["Ed25519", "Ed25519", "PRIVATE KEY"],
  ] as const;
  for (const [kind, algorithm, label] of kinds) {
    it(`of kind ${kind} sign, are written and read back`, () => {
      const key = generatePrivateKey(kind);
      const { signer } = key;
      expect(signer.algorithm).toBe(algorithm);
      expect(key.encodePem()).toMatch(new RegExp(`^-----BEGIN ${label}-----\\n`));
      const again = parsePrivateKey(key.encodePem()).signer;
      expect(again.publicKey).toEqual(signer.publicKey);
      const signature = again.sign(bytes);
      expect(parsePublicKey(signer.publicKey).verifier.verify({ algorithm, bytes, signature })).toBe(true);
    });
  }

  it("are read from PKCS#1, SEC 1 and PKCS#8", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const ec = generateKeyPairSync("ec", { namedCurve: "P-521" }).privateKey;
    for (const type of ["pkcs1", "pkcs8"] as const) {
      expect(parsePrivateKey(rsa.export({ type, format: "pem" }).toString()).signer.algorithm).toBe("RSA-PKCS1-SHA256");
    }
    for (const type of ["sec1", "pkcs8"] as const) {
      expect(parsePrivateKey(ec.export({ type, format: "pem" }).toString()).signer.algorithm).toBe("ECDSA-SHA512");
    }
  });

  it("sign with the hash client-go chooses for the size of an RSA key", () => {
    const pem = generateKeyPairSync("rsa", { modulusLength: 3072 }).privateKey.export({ type: "pkcs8", format: "pem" });
    expect(parsePrivateKey(pem.toString()).signer.algorithm).toBe("RSA-PKCS1-SHA384");
  });

  it("are found behind certificates and EC parameters", () => {
    const key = generatePrivateKey("P-256");
    const before = encodePem("CERTIFICATE", bytes) + encodePem("EC PARAMETERS", bytes);
    expect(parsePrivateKey(before + key.encodePem()).signer.publicKey).toEqual(key.signer.publicKey);
  });

  it("are not shown by printing", () => {
    const key = generatePrivateKey("P-256");
    const secret = createPrivateKey(key.encodePem()).export({ format: "jwk" }).d ?? "";
    expect(inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key)).not.toContain(secret);
  });

  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const encrypted = privateKey
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
    .toString();
  const secp256k1 = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey.export({
    type: "sec1",
    format: "pem",
  });
  const refused: Readonly<Record<string, readonly [code: string, text: string]>> = {
    "a text without one": ["malformed", encodePem("CERTIFICATE", bytes)],
    "an empty text": ["malformed", ""],
    "damaged bytes": ["malformed", encodePem("EC PRIVATE KEY", bytes)],
    "an encrypted key": ["unsupported", encrypted],
    "an encrypted key of the old form": [
      "unsupported",
      "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAA==\n-----END EC PRIVATE KEY-----\n",
    ],
    "a curve nobody uses": ["unsupported", secp256k1.toString()],
  };
  for (const [sentence, [code, text]] of Object.entries(refused)) {
    it(`are refused from ${sentence}`, () => {
      expect(() => parsePrivateKey(text)).toThrow(expect.objectContaining({ name: "Fault", code }));
    });
  }
});

describe("randomBytes", () => {
  it("are as many as asked for and never the same", () => {
    expect(randomBytes(16)).toHaveLength(16);
    expect(randomBytes(16)).not.toEqual(randomBytes(16));
  });
});
