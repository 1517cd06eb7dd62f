import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { codeOf } from "../../../test/builders/code-of.ts";
import { parseHex } from "../bytes/index.ts";
import { encodeBitString, encodeOid, encodeSequence, encodeTlv, encodeUnsigned, TAG } from "../der/index.ts";
import { OID_CURVE_P256, OID_EC_KEY, OID_ED25519, OID_RSA_KEY } from "./oids.ts";
import { parsePublicKey } from "./public-key.ts";

const NULL = encodeTlv(TAG.null, []);
const P256_POINT = parseHex(
  "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
);

function spki(oid: string, parameters: readonly Uint8Array[], keyBytes: Uint8Array): Uint8Array {
  return encodeSequence([encodeSequence([encodeOid(oid), ...parameters]), encodeBitString(keyBytes)]);
}

function rsaKey(bits: number, exponent: number): Uint8Array {
  const modulus = new Uint8Array(Math.ceil(bits / 8)).fill(0xff);
  modulus[0] = 0xff >> ((8 - (bits % 8)) % 8);
  const e = Uint8Array.of(exponent >>> 24, (exponent >> 16) & 255, (exponent >> 8) & 255, exponent & 255);
  return encodeSequence([encodeUnsigned(modulus), encodeUnsigned(e)]);
}

const ec = (point: Uint8Array) => spki(OID_EC_KEY, [encodeOid(OID_CURVE_P256)], point);
const rsa = (bits: number, exponent = 65537) => spki(OID_RSA_KEY, [NULL], rsaKey(bits, exponent));

describe("public keys", () => {
  it("tell their kind and size", () => {
    expect(parsePublicKey(ec(P256_POINT))).toMatchObject({ algorithm: "EC", curve: "P-256" });
    expect(parsePublicKey(rsa(2048))).toMatchObject({ algorithm: "RSA", bits: 2048 });
    expect(parsePublicKey(rsa(2047))).toMatchObject({ bits: 2047 });
    expect(parsePublicKey(rsa(1024, 3))).toMatchObject({ bits: 1024 });
    for (const curve of ["P-256", "P-384", "P-521"]) {
      const der = generateKeyPairSync("ec", { namedCurve: curve }).publicKey.export({ type: "spki", format: "der" });
      expect(parsePublicKey(new Uint8Array(der))).toMatchObject({ algorithm: "EC", curve });
    }
  });

  const compressed = Uint8Array.of(3, ...P256_POINT.subarray(1, 33));
  const offCurve = Uint8Array.from(P256_POINT, (octet, i) => (i === 64 ? octet ^ 1 : octet));
  const refused: Readonly<Record<string, readonly [code: string, der: Uint8Array]>> = {
    "an EC point off its curve": ["malformed", ec(offCurve)],
    "the point at infinity": ["unsupported", ec(Uint8Array.of(0))],
    "a compressed EC point": ["unsupported", ec(compressed)],
    "an EC point of another size": ["unsupported", ec(P256_POINT.subarray(0, 64))],
    "an EC key without a curve": ["unsupported", spki(OID_EC_KEY, [], P256_POINT)],
    "an EC key that describes its curve": ["unsupported", spki(OID_EC_KEY, [encodeSequence([])], P256_POINT)],
    "an EC key on secp256k1": ["unsupported", spki(OID_EC_KEY, [encodeOid("1.3.132.0.10")], P256_POINT)],
    "an RSA key of 1023 bits": ["unsupported", rsa(1023)],
    "an RSA key of 8193 bits": ["unsupported", rsa(8193)],
    "an RSA exponent of 1": ["malformed", rsa(2048, 1)],
    "an even RSA exponent": ["malformed", rsa(2048, 65536)],
    "an RSA exponent over 31 bits": ["malformed", rsa(2048, 0x80000001)],
    "an RSA key without the NULL parameter": ["malformed", spki(OID_RSA_KEY, [], rsaKey(2048, 3))],
    "an Ed25519 key with parameters": ["malformed", spki(OID_ED25519, [NULL], new Uint8Array(32).fill(9))],
    "an Ed25519 key of 31 octets": ["malformed", spki(OID_ED25519, [], new Uint8Array(31).fill(9))],
    "an Ed25519 key of small order": ["malformed", spki(OID_ED25519, [], new Uint8Array(32))],
    "a DSA key": ["unsupported", spki("1.2.840.10040.4.1", [], new Uint8Array(8))],
  };
  for (const [sentence, [code, der]] of Object.entries(refused)) {
    it(`refuse ${sentence}`, () => expect(codeOf(() => parsePublicKey(der))).toBe(code));
  }
});
