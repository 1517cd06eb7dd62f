import { constants, createDecipheriv, generateKeyPairSync, privateDecrypt } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeHex, encodeUtf8, parseBase64Url, parseHex } from "../bytes/index.ts";
import {
  agree,
  decryptGcm,
  encryptCfb,
  encryptGcm,
  encryptOaep,
  type HashName,
  hkdfSha256,
  publicPointOf,
} from "./index.ts";

describe("encryption with randomness handed in", () => {
  it.each(["sha256", "sha384"] as const)("OAEP with %s is opened by OpenSSL, label and all", (hash: HashName) => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { n = "", e = "" } = publicKey.export({ format: "jwk" });
    const oaep = { modulus: parseBase64Url(n), exponent: parseBase64Url(e), hash, label: encodeUtf8("IDENTITY\0") };
    const seed = new Uint8Array(hash === "sha256" ? 32 : 48).fill(9);
    const message = encodeUtf8("a secret of the right size");
    const sealed = encryptOaep({ ...oaep, seed }, message);
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const opened = privateDecrypt(
      { key: privateKey, padding, oaepHash: hash, oaepLabel: Buffer.from("IDENTITY\0") },
      sealed,
    );
    expect(encodeHex(opened)).toBe(encodeHex(message));
    expect(encryptOaep({ ...oaep, seed }, message)).toEqual(sealed);
    expect(() => encryptOaep({ ...oaep, seed: new Uint8Array(3) }, message)).toThrow("seed");
    expect(() => encryptOaep({ ...oaep, seed }, new Uint8Array(240))).toThrow("fit");
  });

  it("both sides of an agreement find the same x, padded", () => {
    for (const curve of ["P-256", "P-384", "P-521"] as const) {
      const mine = parseHex("07".repeat(31));
      const theirs = parseHex("0b".repeat(31));
      const shared = agree(curve, mine, publicPointOf(curve, theirs));
      expect(shared).toEqual(agree(curve, theirs, publicPointOf(curve, mine)));
      expect(shared).toHaveLength({ "P-256": 32, "P-384": 48, "P-521": 66 }[curve]);
    }
    const off = { x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) };
    expect(() => agree("P-256", parseHex("07"), off)).toThrow("point on P-256");
    expect(() => publicPointOf("P-256", new Uint8Array(32))).toThrow("scalar");
  });

  it("CFB is undone by OpenSSL's, for keys of 128 and 256 bits", () => {
    for (const octets of [16, 32]) {
      const key = new Uint8Array(octets).fill(5);
      const sealed = encryptCfb(key, encodeUtf8("not a multiple of the block"));
      const decipher = createDecipheriv(`aes-${octets * 8}-cfb`, key, new Uint8Array(16));
      expect(Buffer.concat([decipher.update(sealed), decipher.final()]).toString()).toBe("not a multiple of the block");
    }
  });

  it("GCM opens only what it sealed", () => {
    const options = { key: new Uint8Array(32).fill(1), iv: new Uint8Array(12), associated: encodeUtf8("for this") };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (text) => {
        const sealed = encryptGcm(options, text);
        expect(decryptGcm(options, sealed)).toEqual(text);
        expect(() => decryptGcm({ ...options, associated: encodeUtf8("for that") }, sealed)).toThrow("altered");
      }),
      { numRuns: 20 },
    );
    expect(() => decryptGcm(options, new Uint8Array(15))).toThrow("tag");
  });

  it("HKDF gives RFC 5869's third example", () => {
    const okm = hkdfSha256(new Uint8Array(22).fill(0x0b), new Uint8Array(), 42);
    expect(encodeHex(okm)).toBe("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
  });
});
