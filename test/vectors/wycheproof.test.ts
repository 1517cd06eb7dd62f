// Signature verification, HMAC and key agreement against Wycheproof: what it calls valid is accepted, everything else
// is refused. That includes its "acceptable" cases (RSA without the NULL parameter, keys in sloppy DER): we take one
// spelling of each.
import { describe, expect, it } from "vitest";
import { encodeHex, equalBytes, parseHex } from "../../src/kernel/bytes/index.ts";
import { agree, hmacSha256, type SignatureAlgorithm } from "../../src/kernel/crypto/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { parsePublicKey } from "../../src/kernel/x509/index.ts";
import { hasVectors, loadVectors, sayNotRun } from "./vectors.ts";

interface WycheproofFile<Group> {
  readonly numberOfTests: number;
  readonly testGroups: readonly Group[];
}

interface Expected {
  readonly tcId: number;
  readonly comment: string;
  readonly result: "valid" | "acceptable" | "invalid";
}

interface SignatureGroup {
  readonly publicKeyDer: string;
  readonly tests: readonly (Expected & { readonly msg: string; readonly sig: string })[];
}

interface MacGroup {
  readonly tagSize: number;
  readonly tests: readonly (Expected & { readonly key: string; readonly msg: string; readonly tag: string })[];
}

interface AgreementGroup {
  readonly tests: readonly (Expected & {
    readonly public: string;
    readonly private: string;
    readonly shared: string;
  })[];
}

const SIGNATURE_FILES: readonly (readonly [file: string, algorithm: SignatureAlgorithm, cases: number])[] = [
  ["ecdsa_secp256r1_sha256_test.json", "ECDSA-SHA256", 484],
  ["ecdsa_secp384r1_sha384_test.json", "ECDSA-SHA384", 504],
  ["ecdsa_secp521r1_sha512_test.json", "ECDSA-SHA512", 542],
  ["ed25519_test.json", "Ed25519", 151],
  ["rsa_signature_2048_sha256_test.json", "RSA-PKCS1-SHA256", 259],
  ["rsa_signature_3072_sha384_test.json", "RSA-PKCS1-SHA384", 259],
  ["rsa_signature_4096_sha512_test.json", "RSA-PKCS1-SHA512", 259],
  ["rsa_pss_2048_sha256_mgf1_32_test.json", "RSA-PSS-SHA256", 108],
];
const MAC_FILE = "hmac_sha256_test.json";
const MAC_CASES = 174;
const AGREEMENT_FILE = "ecdh_secp256r1_test.json";
const AGREEMENT_CASES = 612;

/** In the folder, and not used. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "rsa_oaep_2048_sha256_mgf1sha256_test.json": "they decrypt; here is only encrypted, for a TPM",
  "json_web_key_test.json": "they read JWKs; here they are only written",
};

function disagreements(group: SignatureGroup, algorithm: SignatureAlgorithm): string[] {
  const key = parsePublicKey(parseHex(group.publicKeyDer));
  return group.tests.flatMap(({ tcId, comment, result, msg, sig }) => {
    const accepted = key.verifier.verify({ algorithm, bytes: parseHex(msg), signature: parseHex(sig) });
    return accepted === (result === "valid")
      ? []
      : [`${tcId} ${comment}: ${result}, ${accepted ? "accepted" : "refused"}`];
  });
}

/** As a challenge is made for a TPM's key: the key is read, then the point agrees with a scalar. Undefined: refused. */
function agreed(publicDer: string, scalar: string): Uint8Array | undefined {
  try {
    const { keyBytes, curve } = parsePublicKey(parseHex(publicDer));
    if (curve !== "P-256") return undefined;
    return agree(curve, parseHex(scalar), { x: keyBytes.subarray(1, 33), y: keyBytes.subarray(33) });
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

describe("Wycheproof", () => {
  if (!hasVectors) {
    const cases = SIGNATURE_FILES.reduce((sum, [, , count]) => sum + count, MAC_CASES + AGREEMENT_CASES);
    sayNotRun("Wycheproof", cases);
    it.skip(`${cases} cases need the data`, () => undefined);
    return;
  }

  for (const [file, algorithm, cases] of SIGNATURE_FILES) {
    it(`verifies ${algorithm} as ${file} says (${cases} cases)`, () => {
      const { numberOfTests, testGroups } = loadVectors<WycheproofFile<SignatureGroup>>(`wycheproof/${file}`);
      expect(numberOfTests).toBe(cases);
      expect(testGroups.flatMap((group) => disagreements(group, algorithm))).toEqual([]);
    });
  }

  it(`computes HMAC-SHA-256 as ${MAC_FILE} says (${MAC_CASES} cases)`, () => {
    const { numberOfTests, testGroups } = loadVectors<WycheproofFile<MacGroup>>(`wycheproof/${MAC_FILE}`);
    expect(numberOfTests).toBe(MAC_CASES);
    for (const { tagSize, tests } of testGroups) {
      for (const { tcId, key, msg, tag, result } of tests) {
        const mac = hmacSha256(parseHex(key), parseHex(msg)).subarray(0, tagSize / 8);
        expect(equalBytes(mac, parseHex(tag)), `case ${tcId}`).toBe(result === "valid");
      }
    }
  });

  it(`agrees by ECDH on P-256 as ${AGREEMENT_FILE} says (${AGREEMENT_CASES} cases)`, () => {
    const { numberOfTests, testGroups } = loadVectors<WycheproofFile<AgreementGroup>>(`wycheproof/${AGREEMENT_FILE}`);
    expect(numberOfTests).toBe(AGREEMENT_CASES);
    for (const { tcId, comment, result, ...input } of testGroups.flatMap(({ tests }) => tests)) {
      const shared = agreed(input.public, input.private);
      const expected = result === "valid" ? input.shared : undefined;
      expect(shared && encodeHex(shared), `case ${tcId}, ${comment}`).toBe(expected);
    }
  });

  it("says what it leaves out", () => {
    for (const [file, reason] of Object.entries(LEFT_OUT)) {
      const { numberOfTests } = loadVectors<WycheproofFile<unknown>>(`wycheproof/${file}`);
      console.info(`left out: ${numberOfTests} cases of ${file}: ${reason}`);
    }
  });
});
