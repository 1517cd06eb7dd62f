import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodeBase64Url, encodeHex, encodeUtf8, parseHex } from "../bytes/index.ts";
import {
  type Curve,
  hmacSha256,
  isOnCurve,
  isSmallOrderPoint,
  nativeBase64Url,
  sha1,
  sha256,
  sha512t256,
  VerificationKey,
} from "./index.ts";

describe("digests", () => {
  it("computes the published digests of abc", () => {
    const abc = encodeUtf8("abc");
    expect(encodeHex(sha256(abc))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(encodeHex(sha512t256(abc))).toBe("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
    expect(encodeHex(sha1(abc))).toBe("a9993e364706816aba3e25717850c26c9cd0d89d");
  });

  it("computes HMAC-SHA-256 of RFC 4231, case 2", () => {
    const mac = hmacSha256(encodeUtf8("Jefe"), encodeUtf8("what do ya want for nothing?"));
    expect(encodeHex(mac)).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  });
});

describe("native base64url", () => {
  it("is what the strict coder writes, of bytes within a larger buffer and of text", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    for (let from = 0; from < 6; from++) {
      expect(nativeBase64Url(bytes.subarray(from))).toBe(encodeBase64Url(bytes.subarray(from)));
    }
    expect(nativeBase64Url("Grüße 🚀 \ud800")).toBe(encodeBase64Url(encodeUtf8("Grüße 🚀 \ud800")));
  });
});

describe("curves", () => {
  for (const curve of ["P-256", "P-384", "P-521"] as const satisfies readonly Curve[]) {
    it(`knows a point of ${curve} from its neighbour`, () => {
      const jwk = generateKeyPairSync("ec", { namedCurve: curve }).publicKey.export({ format: "jwk" });
      const x = new Uint8Array(Buffer.from(jwk.x ?? "", "base64url"));
      const y = new Uint8Array(Buffer.from(jwk.y ?? "", "base64url"));
      expect(isOnCurve(curve, { x, y })).toBe(true);
      y[y.length - 1] = (y[y.length - 1] ?? 0) ^ 1;
      expect(isOnCurve(curve, { x, y })).toBe(false);
    });
  }

  it("refuses a coordinate that is not reduced", () => {
    const prime = parseHex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    // x = 0 has a point on P-256; x = p is the same number, written another way.
    const y = parseHex("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4");
    expect(isOnCurve("P-256", { x: new Uint8Array(32), y })).toBe(true);
    expect(isOnCurve("P-256", { x: prime, y })).toBe(false);
  });

  it("knows the Ed25519 points of small order, with either sign", () => {
    const one = new Uint8Array(32);
    one[0] = 1;
    expect(isSmallOrderPoint(one)).toBe(true);
    one[31] = 0x80;
    expect(isSmallOrderPoint(one)).toBe(true);
    one[0] = 9;
    expect(isSmallOrderPoint(one)).toBe(false);
  });
});

describe("VerificationKey", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" });
  const key = new VerificationKey(new Uint8Array(publicKey.export({ type: "spki", format: "der" })), {
    algorithm: "EC",
    curve: "P-256",
    x: new Uint8Array(Buffer.from(jwk.x ?? "", "base64url")),
    y: new Uint8Array(Buffer.from(jwk.y ?? "", "base64url")),
  });
  const bytes = encodeUtf8("countersign");
  const signature = sign("sha256", bytes, privateKey);

  it("accepts the signature the first time, when it imports itself, and from then on", () => {
    for (let use = 1; use <= 3; use++) expect(key.verify({ algorithm: "ECDSA-SHA256", bytes, signature })).toBe(true);
  });

  it("refuses other bytes, another hash and an algorithm of another kind of key", () => {
    expect(key.verify({ algorithm: "ECDSA-SHA256", bytes: encodeUtf8("countersigned"), signature })).toBe(false);
    expect(key.verify({ algorithm: "ECDSA-SHA384", bytes, signature })).toBe(false);
    expect(key.verify({ algorithm: "RSA-PKCS1-SHA256", bytes, signature })).toBe(false);
    expect(key.verify({ algorithm: "Ed25519", bytes, signature })).toBe(false);
    expect(key.verify({ algorithm: "ECDSA-SHA256", bytes, signature: new Uint8Array() })).toBe(false);
  });

  it("does not show what it is made of", () => {
    expect(Object.keys(key)).toEqual(["algorithm"]);
  });
});
