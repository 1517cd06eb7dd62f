import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aSealingMachine } from "../../../test/builders/key-seal.ts";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { encodeHex, parseHex } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import {
  encodePair,
  encodeSealedKey,
  isSealed,
  keyBlockOf,
  openPair,
  parsePair,
  parseSealedKey,
  parseStoredPair,
  SEALED_KEY_LABEL,
  type SealedKey,
  useOf,
} from "./index.ts";

const ca = aNodeCa();
const own = ca.issueNode();
const other = ca.issueNode();
const octets = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
const sealedKeys: fc.Arbitrary<SealedKey> = fc.record({
  parent: fc.constantFrom("ecc", "rsa"),
  publicArea: octets(1, 512),
  privateArea: octets(1, 512),
  iv: octets(12, 12),
  ciphertext: octets(17, 8_192),
});

describe("the form of a sealed key", () => {
  it("is what it says it is", () => {
    const parts = { publicArea: parseHex("aa"), privateArea: parseHex("bbcc"), iv: parseHex("dd".repeat(12)) };
    const bytes = encodeSealedKey({ parent: "rsa", ...parts, ciphertext: parseHex("ee".repeat(17)) });
    expect(encodeHex(bytes)).toBe(`0102${"0001aa"}${"0002bbcc"}${"dd".repeat(12)}${"ee".repeat(17)}`);
  });

  it("gives back what was written, whatever that is", () => {
    fc.assert(
      fc.property(sealedKeys, (key) => {
        expect(parseSealedKey(encodeSealedKey(key))).toEqual(key);
      }),
    );
  });

  it("of any other octets is a fault or reads as it is written: there are no two spellings", () => {
    const mutants = fc.tuple(sealedKeys, fc.nat(), fc.nat(255)).map(([key, at, value]) => {
      const bytes = encodeSealedKey(key);
      return Uint8Array.from(bytes, (octet, index) => (index === at % Math.min(bytes.length, 1_100) ? value : octet));
    });
    fc.assert(
      fc.property(fc.oneof(octets(0, 600), mutants), (bytes) => {
        try {
          expect(encodeSealedKey(parseSealedKey(bytes))).toEqual(bytes);
        } catch (fault) {
          expect(isFault(fault, "malformed")).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  const whole = { publicArea: parseHex("aa"), privateArea: parseHex("bb"), iv: new Uint8Array(12) };
  const good = encodeSealedKey({ parent: "ecc", ...whole, ciphertext: new Uint8Array(17) });
  const refused: Readonly<Record<string, [Uint8Array, string]>> = {
    nothing: [new Uint8Array(), "version"],
    "another version": [Uint8Array.of(2, ...good.subarray(1)), "version must be 1"],
    "another kind of parent": [Uint8Array.of(1, 3, ...good.subarray(2)), "kind of storage key"],
    "no public area": [Uint8Array.of(1, 1, 0, 0, ...good.subarray(5)), "wrong size"],
    "an area beyond the end": [Uint8Array.of(1, 1, 2, 0, ...good.subarray(4)), "wrong size"],
    "an area of 65535 octets": [Uint8Array.of(1, 1, 255, 255, ...new Uint8Array(65_535)), "wrong size"],
    "a ciphertext that is only a tag": [good.subarray(0, -1), "too early"],
    "a ciphertext of 9 KB": [
      encodeSealedKey({ parent: "ecc", ...whole, ciphertext: new Uint8Array(9_000) }),
      "too long",
    ],
  };
  it.each(Object.entries(refused))("refuses %s", (_, [bytes, message]) => {
    expect(() => parseSealedKey(bytes)).toThrow(message);
  });
});

describe("a pair whose key is sealed", () => {
  const sealed = async (machine = aSealingMachine()) => {
    const block = await machine.seal(own.keyPem, useOf(parsePair(encodePair(own.certificatePem, own.keyPem))));
    return { machine, block, text: encodePair(own.certificatePem, block) };
  };

  it("says of its certificate all that a plain one says, and opens to that one", async () => {
    const { machine, block, text } = await sealed();
    const plain = parsePair(encodePair(own.certificatePem, own.keyPem));
    const pair = parseStoredPair(text);
    expect(isSealed(pair) && keyBlockOf(pair)).toBe(block);
    const { keyPem: _, ...certificate } = plain;
    expect(pair).toMatchObject(certificate);
    expect(await openPair(pair, machine)).toEqual(plain);
    expect(await openPair(plain, undefined)).toBe(plain);
  });

  it("is no plain pair, and nobody opens it who cannot", async () => {
    const { text } = await sealed();
    expect(() => parsePair(text)).toThrow("is sealed");
    const failure = await openPair(parseStoredPair(text), undefined).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "bad-config", detail: { todo: expect.stringContaining("--provider tpm") } });
    await expect(openPair(parseStoredPair(text), aSealingMachine())).rejects.toMatchObject({ code: "untrusted" });
  });

  it("does not open under another certificate", async () => {
    const { machine, block } = await sealed();
    const swapped = parseStoredPair(encodePair(other.certificatePem, block));
    await expect(openPair(swapped, machine)).rejects.toMatchObject({ code: "untrusted" });
  });

  it("is held against its certificate even when somebody else's key comes out", async () => {
    const { text } = await sealed();
    const liar = { ...aSealingMachine(), open: async () => other.keyPem };
    await expect(openPair(parseStoredPair(text), liar)).rejects.toThrow("not the key of its certificate");
  });

  it("whose block is damaged is damaged, which shows without a TPM", async () => {
    const { block } = await sealed();
    const cut = encodePem(SEALED_KEY_LABEL, Uint8Array.of(1, 1, 0, 9));
    for (const text of [cut, block.slice(0, -40), block.replace("AQE", "AgE")]) {
      expect(() => parseStoredPair(encodePair(own.certificatePem, text))).toThrow(Fault);
    }
  });
});
