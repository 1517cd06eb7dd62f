import { describe, expect, it } from "vitest";
import { encodeHex, parseHex } from "../bytes/index.ts";
import { SIGNATURE_ALGORITHMS } from "../crypto/index.ts";
import { encodeSignatureAlgorithm, signatureAlgorithmOf } from "./algorithm.ts";

describe("signature algorithm identifiers", () => {
  it("are read as written, each its own", () => {
    for (const algorithm of SIGNATURE_ALGORITHMS) {
      expect(signatureAlgorithmOf(encodeSignatureAlgorithm(algorithm))).toBe(algorithm);
    }
    const spellings = SIGNATURE_ALGORITHMS.map((algorithm) => encodeHex(encodeSignatureAlgorithm(algorithm)));
    expect(new Set(spellings).size).toBe(SIGNATURE_ALGORITHMS.length);
  });

  it("have the bytes of their RFCs", () => {
    expect(encodeHex(encodeSignatureAlgorithm("ECDSA-SHA256"))).toBe("300a06082a8648ce3d040302");
    expect(encodeHex(encodeSignatureAlgorithm("RSA-PKCS1-SHA256"))).toBe("300d06092a864886f70d01010b0500");
    expect(encodeHex(encodeSignatureAlgorithm("Ed25519"))).toBe("300506032b6570");
  });

  const read: Readonly<Record<string, readonly [hex: string, algorithm: string]>> = {
    "RSA without its NULL": ["300b06092a864886f70d01010b", "RSA-PKCS1-SHA256"],
    "RSA with other parameters": ["300e06092a864886f70d01010b020100", "unsupported"],
    "ECDSA with parameters": ["300c06082a8648ce3d0403020500", "unsupported"],
    "RSA with SHA-1": ["300d06092a864886f70d0101050500", "unsupported"],
    "PSS with its defaults, which are SHA-1": ["300d06092a864886f70d01010a3000", "unsupported"],
    "nothing known": ["300306012a", "unsupported"],
  };
  for (const [sentence, [hex, algorithm]] of Object.entries(read)) {
    it(`say ${algorithm} for ${sentence}`, () => expect(signatureAlgorithmOf(parseHex(hex))).toBe(algorithm));
  }
});
