import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aCsr, withKey } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey } from "../../../../platform/keys/index.ts";
import { keyIsStrongEnough } from "./key-is-strong-enough.ts";

function rsa(modulusLength: number): PrivateKey {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength });
  return parsePrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

function p521(): PrivateKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-521" });
  return parsePrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

const ALLOWED: Record<string, () => PrivateKey> = {
  "P-256": () => generatePrivateKey("P-256"),
  "P-384": () => generatePrivateKey("P-384"),
  "P-521": p521,
  Ed25519: () => generatePrivateKey("Ed25519"),
  "RSA of 2048 bits": () => generatePrivateKey("RSA-2048"),
};

describe("key-is-strong-enough", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (name, make) => {
    expect(keyIsStrongEnough.judge(factsOf(aCsr(withKey(make()))))).toEqual({ kind: "Pass", note: name });
  });

  it("refuses RSA of 1024 bits", () => {
    expect(keyIsStrongEnough.judge(factsOf(aCsr(withKey(rsa(1024)))))).toMatchObject({
      kind: "Deny",
      reason: "KeyIsTooWeak",
    });
  });
});
