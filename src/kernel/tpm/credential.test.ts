import { createDecipheriv, createECDH, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import recorded from "../../../test/vectors/tpm/swtpm.json" with { type: "json" };
import { encodeHex, parseHex } from "../bytes/index.ts";
import { kdfa, kdfe } from "./credential.ts";
import { EK_TEMPLATES, makeCredential, type PublicArea, parsePublicArea } from "./index.ts";
import { encodePublicArea } from "./public-area.ts";

const { createPrimary, makeCredential: vector } = recorded;
const hex = parseHex;
const NOTHING = new Uint8Array();

describe("key derivation", () => {
  it("agrees with a TPM on both keys of a credential", () => {
    const common = { hash: "sha256", secret: hex(vector.seed) } as const;
    const storage = kdfa({ ...common, label: "STORAGE", partyU: hex(vector.akName), partyV: NOTHING, bits: 128 });
    expect(encodeHex(storage)).toBe(vector.kdfaStorageKey);
    const integrity = kdfa({ ...common, label: "INTEGRITY", partyU: NOTHING, partyV: NOTHING, bits: 256 });
    expect(encodeHex(integrity)).toBe(vector.kdfaIntegrityKey);
  });

  it("goes on where one block of the hash is not enough", () => {
    const input = { hash: "sha256", secret: NOTHING, label: "L", partyU: NOTHING, partyV: NOTHING } as const;
    const long = kdfa({ ...input, bits: 512 });
    expect(long).toHaveLength(64);
    expect(kdfe({ ...input, bits: 512 }).subarray(0, 32)).toEqual(kdfe({ ...input, bits: 256 }));
    const second = createHmac("sha256", NOTHING).update(hex("000000024c0000000200")).digest();
    expect(encodeHex(long.subarray(32))).toBe(encodeHex(second));
  });
});

describe("MakeCredential", () => {
  const secret = hex(vector.secret);
  const objectName = hex(vector.akName);

  it("makes the blob that a TPM opened, RSA-2048", () => {
    const endorsementKey = parsePublicArea(hex(createPrimary.public));
    const randomness = { kind: "rsa", seed: hex(vector.seed), oaepSeed: new Uint8Array(32) } as const;
    const { credentialBlob, encryptedSecret } = makeCredential({ endorsementKey, objectName, secret, randomness });
    expect(encodeHex(credentialBlob)).toBe(`0044${vector.idObjectWithoutOuterSize}`);
    expect(encryptedSecret).toHaveLength(258);
    expect(() =>
      makeCredential({ endorsementKey, objectName, secret, randomness: { kind: "ecc", scalar: hex("07") } }),
    ).toThrow("rsa");
    expect(() => makeCredential({ endorsementKey, objectName, secret: new Uint8Array(33), randomness })).toThrow(
      "digest",
    );
  });

  it.each(["L-2", "H-3"] as const)("can be opened with the private key of %s", (name) => {
    const template = EK_TEMPLATES[name];
    if (template.type !== "ecc") return;
    const curve = name === "L-2" ? "prime256v1" : "secp384r1";
    const hash = name === "L-2" ? "sha256" : "sha384";
    const ecdh = createECDH(curve);
    const point = ecdh.generateKeys();
    const octets = (point.length - 1) / 2;
    const own = { x: point.subarray(1, 1 + octets), y: point.subarray(1 + octets) };
    const endorsementKey: PublicArea = parsePublicArea(encodePublicArea({ ...template, ...own }));
    const made = makeCredential({
      endorsementKey,
      objectName,
      secret,
      randomness: { kind: "ecc", scalar: hex("0b".repeat(20)) },
    });
    const ephemeral = made.encryptedSecret.subarray(2);
    const x = ephemeral.subarray(2, 2 + octets);
    const y = ephemeral.subarray(4 + octets);
    const shared = ecdh.computeSecret(Buffer.concat([Uint8Array.of(4), x, y]));
    const bits = hash === "sha256" ? 256 : 384;
    const seed = kdfe({ hash, secret: shared, label: "IDENTITY", partyU: x, partyV: own.x, bits });
    const keyBits = template.symmetric?.keyBits ?? 0;
    const storage = kdfa({ hash, secret: seed, label: "STORAGE", partyU: objectName, partyV: NOTHING, bits: keyBits });
    const identity = made.credentialBlob.subarray(4 + bits / 8);
    const decipher = createDecipheriv(`aes-${keyBits}-cfb`, storage, new Uint8Array(16));
    expect(encodeHex(decipher.update(identity))).toBe(`0020${vector.secret}`);
  });

  it("refuses a key that protects with anything but AES in CFB mode", () => {
    const ek = parsePublicArea(hex(createPrimary.public));
    const odd = { ...ek, symmetric: { algorithm: 6, keyBits: 192, mode: 0x43 } } as PublicArea;
    const randomness = { kind: "rsa", seed: hex(vector.seed), oaepSeed: new Uint8Array(32) } as const;
    expect(() => makeCredential({ endorsementKey: odd, objectName, secret, randomness })).toThrow("AES");
  });
});
