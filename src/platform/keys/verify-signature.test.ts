import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SignatureAlgorithm } from "../../kernel/crypto/index.ts";
import { parsePublicKey } from "../../kernel/x509/index.ts";
import { generatePrivateKey, verifySignature } from "./index.ts";
import type { KeyKind } from "./private-key.ts";

const BYTES = Uint8Array.from({ length: 300 }, (_, at) => at);

function aSignature(kind: KeyKind) {
  const { signer } = generatePrivateKey(kind);
  const signed = { algorithm: signer.algorithm, bytes: BYTES, signature: signer.sign(BYTES) };
  return { key: parsePublicKey(signer.publicKey), signed };
}

describe("a signature verified beside the main thread", () => {
  it.each<KeyKind>(["P-256", "P-384", "RSA-2048", "Ed25519"])("of %s holds, and not over other bytes", async (kind) => {
    const { key, signed } = aSignature(kind);
    expect(await verifySignature(key, signed)).toBe(true);
    expect(await verifySignature(key, { ...signed, bytes: BYTES.subarray(1) })).toBe(false);
    expect(await verifySignature(aSignature(kind).key, signed), "another key").toBe(false);
  });

  it("of P-521 holds too, which this product reads but never makes", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-521" });
    const key = parsePublicKey(publicKey.export({ type: "spki", format: "der" }));
    const signature = sign("sha512", BYTES, privateKey);
    expect(await verifySignature(key, { algorithm: "ECDSA-SHA512", bytes: BYTES, signature })).toBe(true);
    expect(await verifySignature(key, { algorithm: "ECDSA-SHA256", bytes: BYTES, signature })).toBe(false);
  });

  it.each<[string, Uint8Array]>([
    ["empty", new Uint8Array()],
    ["no DER", Uint8Array.of(1, 2, 3)],
    ["two zeros", Uint8Array.of(0x30, 6, 2, 1, 0, 2, 1, 0)],
  ])("that is %s does not hold", async (_what, signature) => {
    const { key, signed } = aSignature("P-256");
    expect(await verifySignature(key, { ...signed, signature })).toBe(false);
  });

  it.each<SignatureAlgorithm>(["RSA-PKCS1-SHA256", "Ed25519"])(
    "of %s does not hold for an EC key",
    async (algorithm) => {
      const { key, signed } = aSignature("P-256");
      expect(await verifySignature(key, { ...signed, algorithm })).toBe(false);
    },
  );

  it("says what the synchronous way says, many at a time", async () => {
    const all = Array.from({ length: 20 }, () => aSignature("P-256"));
    const spoiled = all.map(({ key, signed }, at) => ({
      key,
      signed: at % 2 === 0 ? signed : { ...signed, bytes: BYTES.subarray(at) },
    }));
    const holds = await Promise.all(spoiled.map(({ key, signed }) => verifySignature(key, signed)));
    expect(holds).toEqual(spoiled.map(({ key, signed }) => key.verifier.verify(signed)));
  });
});
