import { createPublicKey, createVerify, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { generatePrivateKey, parsePrivateKey } from "../../platform/keys/index.ts";
import type { KeyKind } from "../../platform/keys/private-key.ts";
import { parsePublicKey } from "../x509/index.ts";
import { decodeUnverifiedJwt, hasJwtForm, jwkOf, keyIdOf, signJwt, verifyJwt } from "./index.ts";

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function aKey(kind: KeyKind = "P-256") {
  const { signer } = generatePrivateKey(kind);
  return { signer, publicKey: parsePublicKey(signer.publicKey) };
}

const own = aKey();
const keyId = keyIdOf(own.publicKey);
const token = signJwt({ keyId, claims: { sub: "b", iss: "a", "kubernetes.io": { z: 1, a: 2 } } }, own.signer);
const [head = "", body = "", tail = ""] = token.split(".");

describe("a JSON Web Token", () => {
  it("has exactly alg and kid in its header, and its claims sorted", () => {
    expect(Buffer.from(head, "base64url").toString()).toBe(`{"alg":"ES256","kid":"${keyId}"}`);
    expect(Buffer.from(body, "base64url").toString()).toBe('{"iss":"a","kubernetes.io":{"a":2,"z":1},"sub":"b"}');
  });

  it("is known from other credentials by its two dots, before anything is parsed", () => {
    expect([token, "..", "a.b.c"].map(hasJwtForm)).toEqual([true, true, true]);
    expect(["", "abcdef.0123456789abcdef", "a.b.c.d", `${token}.`, "..."].map(hasJwtForm)).not.toContain(true);
  });

  it.each(["P-256", "P-384", "RSA-2048"] as const)("of a %s key is good, here and to OpenSSL", (kind) => {
    const { signer, publicKey } = aKey(kind);
    const signed = signJwt({ keyId: "k", claims: { a: 1 } }, signer);
    const jwt = decodeUnverifiedJwt(signed);
    expect(verifyJwt(jwt, publicKey)).toBe(true);
    const key = createPublicKey({ key: Buffer.from(signer.publicKey), format: "der", type: "spki" });
    const hash = kind === "P-384" ? "sha384" : "sha256";
    const verifier = createVerify(hash).update(jwt.signedBytes);
    const input = kind === "RSA-2048" ? key : { key, dsaEncoding: "ieee-p1363" as const };
    expect(verifier.verify(input, jwt.signature)).toBe(true);
  });

  it("of a P-521 key is good", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-521" });
    const pem = privateKey.export({ type: "sec1", format: "pem" }).toString();
    const spki = publicKey.export({ type: "spki", format: "der" });
    for (let round = 0; round < 8; round++) {
      const jwt = decodeUnverifiedJwt(signJwt({ keyId: "k", claims: { round } }, parsePrivateKey(pem).signer));
      expect(verifyJwt(jwt, parsePublicKey(new Uint8Array(spki)))).toBe(true);
    }
  });

  it("is refused when signed with a key that tokens do not have", () => {
    expect(() => signJwt({ keyId: "k", claims: {} }, generatePrivateKey("Ed25519").signer)).toThrow(/RSA-2048 or EC/);
  });

  const refused: Readonly<Record<string, string>> = {
    "with alg none": `${base64url({ alg: "none" })}.${body}.`,
    "with alg None": `${base64url({ alg: "None" })}.${body}.${tail}`,
    "with an HMAC over the public key": `${base64url({ alg: "HS256", kid: keyId })}.${body}.${tail}`,
    "with an algorithm that is a list": `${base64url({ alg: ["ES256"] })}.${body}.${tail}`,
    "with an inherited name as algorithm": `${base64url({ alg: "constructor" })}.${body}.${tail}`,
    "with a critical header": `${base64url({ alg: "ES256", crit: ["b64"], b64: false })}.${body}.${tail}`,
    "with a key id that is a number": `${base64url({ alg: "ES256", kid: 1 })}.${body}.${tail}`,
    "of two parts": `${head}.${body}`,
    "of four parts": `${token}.x`,
    "with padding": `${head}.${body}.${tail}==`,
    "whose payload is a list": `${head}.${base64url([])}.${tail}`,
    "whose payload is no JSON": `${head}.YQ.${tail}`,
    "that is too long": `${head}.${"a".repeat(20_000)}.${tail}`,
    "that is empty": "",
  };
  it.each(Object.entries(refused))("%s is not read", (_name, text) => {
    expect(() => decodeUnverifiedJwt(text)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(malformed|unsupported|limit-exceeded)$/) }) as Error,
    );
  });

  const forged: Readonly<Record<string, () => boolean>> = {
    "changed claims": () =>
      verifyJwt(decodeUnverifiedJwt(`${head}.${base64url({ sub: "root" })}.${tail}`), own.publicKey),
    "another key": () => verifyJwt(decodeUnverifiedJwt(token), aKey().publicKey),
    "a key of another curve": () => verifyJwt(decodeUnverifiedJwt(token), aKey("P-384").publicKey),
    "a key of another kind": () => verifyJwt(decodeUnverifiedJwt(token), aKey("RSA-2048").publicKey),
    "ES384 said over a P-256 key": () =>
      verifyJwt(decodeUnverifiedJwt(`${base64url({ alg: "ES384", kid: keyId })}.${body}.${tail}`), own.publicKey),
    "a signature of zeros": () =>
      verifyJwt(decodeUnverifiedJwt(`${head}.${body}.${Buffer.alloc(64).toString("base64url")}`), own.publicKey),
    "an empty signature": () => verifyJwt(decodeUnverifiedJwt(`${head}.${body}.`), own.publicKey),
    "a signature in DER": () => {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const der = sign("sha256", Buffer.from(`${head}.${body}`), privateKey).toString("base64url");
      const spki = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
      return verifyJwt(decodeUnverifiedJwt(`${head}.${body}.${der}`), parsePublicKey(spki));
    },
  };
  it.each(Object.entries(forged))("is not believed: %s", (_name, verify) => {
    expect(verify()).toBe(false);
  });
});

describe("a JSON Web Key", () => {
  it.each(["P-256", "P-384", "RSA-2048"] as const)("of %s is what OpenSSL says, and only the public part", (kind) => {
    const { signer, publicKey } = aKey(kind);
    const key = createPublicKey({ key: Buffer.from(signer.publicKey), format: "der", type: "spki" });
    expect(jwkOf(publicKey)).toEqual(key.export({ format: "jwk" }));
  });
});
