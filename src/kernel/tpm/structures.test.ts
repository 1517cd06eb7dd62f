import { describe, expect, it } from "vitest";
import recorded from "../../../test/vectors/tpm/swtpm.json" with { type: "json" };
import { concatBytes, encodeHex, parseHex } from "../bytes/index.ts";
import { digest, sha256 } from "../crypto/index.ts";
import {
  AK_TEMPLATES,
  ALGORITHM,
  cutNvCertificate,
  EK_TEMPLATES,
  HANDLE,
  nameOf,
  POLICY_A_SHA256,
  POLICY_B_SHA256,
  POLICY_B_SHA384,
  parsePublicArea,
  parseQuote,
  parseTpmSignature,
  pcrDigestOf,
  publicKeyOf,
  qualifiedNameOfPrimary,
  verifyTpmSignature,
} from "./index.ts";
import { encodePcrSelections } from "./pcrs.ts";
import { encodePublicArea } from "./public-area.ts";
import { AK_UNIQUE } from "./templates.ts";

const { createPrimary, attestationKey, quote, externalPublic, externalName } = recorded;
const hex = parseHex;

describe("public areas", () => {
  it("gives back the bytes it read, and the Name a TPM computes", () => {
    for (const [area, name] of [
      [createPrimary.public, createPrimary.name],
      [attestationKey.public, attestationKey.name],
      [externalPublic, externalName],
    ] as const) {
      const parsed = parsePublicArea(hex(area));
      expect(encodeHex(encodePublicArea(parsed))).toBe(area);
      expect(encodeHex(nameOf(parsed))).toBe(name);
    }
  });

  it("is the key that others hash: SHA-256 of the SubjectPublicKeyInfo", () => {
    const { spki, bits } = publicKeyOf(parsePublicArea(hex(createPrimary.public)));
    expect(encodeHex(sha256(spki))).toBe(createPrimary.spkiSha256);
    expect(bits).toBe(2048);
  });

  const refused: Readonly<Record<string, [string, string]>> = {
    "a cut one": [createPrimary.public.slice(0, -2), "ends too early"],
    "one with a tail": [`${createPrimary.public}00`, "after its end"],
    "a key of another kind": [`0008${createPrimary.public.slice(4)}`, "RSA or ECC"],
    "nothing at all": ["", "ends too early"],
    "one of 2 KiB": ["00".repeat(2048), "larger than"],
  };
  it.each(Object.entries(refused))("refuses %s", (_, [text, message]) => {
    expect(() => parsePublicArea(hex(text))).toThrow(message);
  });

  it("refuses a modulus of another size than stated and a point off the curve as keys", () => {
    const rsa = parsePublicArea(hex(createPrimary.public));
    expect(() => publicKeyOf({ ...rsa, keyBits: 3072 } as typeof rsa)).toThrow("3072 bits");
    const ecc = parsePublicArea(hex(externalPublic));
    expect(() => publicKeyOf({ ...ecc, x: new Uint8Array(32).fill(1) } as typeof ecc)).toThrow("point on P-256");
    expect(() => publicKeyOf({ ...ecc, x: new Uint8Array(33).fill(1) } as typeof ecc)).toThrow("larger than its curve");
  });
});

describe("templates", () => {
  it("are byte for byte those of the profile", () => {
    expect(encodeHex(encodePublicArea(EK_TEMPLATES["L-1"]))).toBe(createPrimary.template);
    const policyB = encodeHex(POLICY_B_SHA384);
    expect(encodeHex(encodePublicArea(EK_TEMPLATES["H-3"]))).toBe(
      `0023000c000300f20030${policyB}000601000043001000040010${"00000000"}`,
    );
    expect(encodeHex(encodePublicArea(EK_TEMPLATES["H-6"]))).toBe(
      `0001000c000300f20030${policyB}00060100004300100c00000000000000`,
    );
    const zeros = "00".repeat(32);
    expect(encodeHex(encodePublicArea(EK_TEMPLATES["L-2"]))).toBe(
      `0023000b000300b20020${encodeHex(POLICY_A_SHA256)}000600800043001000030010${`0020${zeros}`.repeat(2)}`,
    );
  });

  it("have the policies that the profile derives", () => {
    const zero = new Uint8Array(32);
    const secret = sha256(concatBytes([zero, hex("00000151"), hex("4000000b")]));
    const policyA = sha256(secret);
    expect(encodeHex(policyA)).toBe(encodeHex(POLICY_A_SHA256));
    const policyC = hex("3767e2edd43ff45a3a7e1eaefcef78643dca964632e7aad82c673a30d8633fde");
    expect(encodeHex(sha256(concatBytes([zero, hex("00000171"), policyA, policyC])))).toBe(encodeHex(POLICY_B_SHA256));
    const secret384 = digest("sha384", concatBytes([new Uint8Array(48), hex("00000151"), hex("4000000b")]));
    const policyA384 = digest("sha384", secret384);
    const policyC384 = hex(
      "d6032ce61f2fb3c240eb3cf6a33237ef2b6a16f4293c22b455e261cffd217ad5b4947c2d73e63005eed2dc2b3593d165",
    );
    const policyB384 = digest("sha384", concatBytes([new Uint8Array(48), hex("00000171"), policyA384, policyC384]));
    expect(encodeHex(policyB384)).toBe(encodeHex(POLICY_B_SHA384));
  });

  it("has an attestation key of our own", () => {
    expect(encodeHex(AK_UNIQUE)).toBe("88e99b0cc2d514d968e57a42830bc2148a6963c29e15749b446780ae57dcb002");
    const unique = encodeHex(AK_UNIQUE);
    expect(encodeHex(encodePublicArea(AK_TEMPLATES.ecc))).toBe(
      `0023000b00050072000000100018000b000300100020${unique}0020${"00".repeat(32)}`,
    );
    expect(encodeHex(encodePublicArea(AK_TEMPLATES.rsa))).toBe(
      `0001000b00050072000000100014000b0800000000000020${unique}`,
    );
  });
});

describe("quotes", () => {
  const key = parsePublicArea(hex(attestationKey.public));
  const attest = hex(quote.attest);
  const signature = parseTpmSignature(hex(quote.signature));

  it("reads what a TPM signed", () => {
    const parsed = parseQuote(attest);
    expect(Buffer.from(parsed.extraData).toString()).toBe(quote.nonceAscii);
    expect(parsed.selections).toEqual([{ hash: ALGORITHM.sha256, pcrs: [0, 1, 7, 16] }]);
    expect(encodePcrSelections(parsed.selections)).toEqual(hex("00000001000b03830001"));
    expect(parsed.clock).toBe(0x151ff7n);
    const values = Object.values(quote.pcrsSha256).map(hex);
    expect(encodeHex(pcrDigestOf(values, ALGORITHM.sha256))).toBe(encodeHex(parsed.pcrDigest));
  });

  it("verifies with the key that signed, over the bytes that were signed", () => {
    expect(verifyTpmSignature(key, signature, attest)).toBe(true);
    expect(
      verifyTpmSignature(
        key,
        signature,
        attest.map((octet, i) => (i === 60 ? octet ^ 1 : octet)),
      ),
    ).toBe(false);
    expect(verifyTpmSignature(parsePublicArea(hex(createPrimary.public)), signature, attest)).toBe(false);
    expect(verifyTpmSignature(key, { ...signature, hash: ALGORITHM.sha384 }, attest)).toBe(false);
  });

  it("knows a primary of the endorsement hierarchy from a child of another key", () => {
    const qualified = qualifiedNameOfPrimary(key, HANDLE.endorsement);
    expect(encodeHex(qualified)).not.toBe(encodeHex(parseQuote(attest).qualifiedSigner));
    expect(qualified).toHaveLength(34);
  });

  const refused: Readonly<Record<string, [string, string]>> = {
    "another magic": [`ff544348${quote.attest.slice(8)}`, "mark"],
    "a certification": [`ff5443478017${quote.attest.slice(12)}`, "must be a quote"],
    "a tail": [`${quote.attest}00`, "after its end"],
    "a cut": [quote.attest.slice(0, -2), "too early"],
    "1 KiB and more": ["00".repeat(1025), "larger"],
  };
  it.each(Object.entries(refused))("refuses %s", (_, [text, message]) => {
    expect(() => parseQuote(hex(text))).toThrow(message);
  });

  it("refuses signatures of schemes that prove nothing here", () => {
    for (const text of ["0010", "0005000b", "001a000b0000"])
      expect(() => parseTpmSignature(hex(text))).toThrow("must be");
    expect(() => parseTpmSignature(hex("0018000b00000000"))).toThrow("scalar");
    expect(() => parseTpmSignature(hex(`${quote.signature}00`))).toThrow("after its end");
  });
});

describe("EK certificates in NV storage", () => {
  it.each([
    ["plain", "3003020105"],
    ["padded", "3003020105ffffff"],
    ["wrapped", "10010000053003020105"],
  ])("are cut out of %s content", (_, content) => {
    expect(encodeHex(cutNvCertificate(hex(content)))).toBe("3003020105");
  });
  it("are not found in other content", () => expect(() => cutNvCertificate(hex("0102"))).toThrow("certificate"));
});
