import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { generatePrivateKey, parsePrivateKey } from "../keys/index.ts";
import { encodePair, parsePair } from "./index.ts";

const ca = aNodeCa();
const own = ca.issueNode({ nodeName: "worker-1" });

describe("a pair", () => {
  it("is read as it was written", () => {
    const pair = parsePair(encodePair(own.certificatePem + ca.certPem, own.keyPem));
    expect(pair).toMatchObject({
      certificatePem: own.certificatePem + ca.certPem,
      keyPem: own.keyPem,
      commonName: "system:node:worker-1",
      leaf: new Uint8Array(new X509Certificate(own.certificatePem).raw),
    });
    expect(pair.notAfterMs - pair.notBeforeMs).toBe(2 * 3_600_000);
  });

  it("may hold text between its blocks and a PKCS#8 key, as other tools write it", () => {
    const key = generatePrivateKey("Ed25519");
    const certificatePem = ca.signNode({ publicKey: key.signer.publicKey });
    expect(parsePair(`subject=…\n${certificatePem}\n# key\n${key.encodePem()}`).keyPem).toBe(key.encodePem());
  });

  const keys: Record<string, string> = {
    "an RSA key in PKCS#8": generatePrivateKey("RSA-2048").encodePem(),
    "an RSA key in PKCS#1": exportKey(generatePrivateKey("RSA-2048").encodePem(), "pkcs1"),
    "an EC key in PKCS#8": exportKey(generatePrivateKey("P-384").encodePem(), "pkcs8"),
  };
  for (const [sentence, keyPem] of Object.entries(keys)) {
    it(`may have ${sentence}, and notices another one`, () => {
      const { publicKey } = parsePrivateKey(keyPem).signer;
      const certificatePem = ca.signNode({ publicKey });
      expect(parsePair(encodePair(certificatePem, keyPem)).keyPem).toBe(keyPem);
      expect(() => parsePair(encodePair(own.certificatePem, keyPem))).toThrow("not the key of its certificate");
    });
  }

  it("does not take a line in another field for its name", () => {
    const sly = ca.issueNode({ commonName: "someone", organizations: ["x\nCN=system:node:worker-1"] });
    expect(parsePair(encodePair(sly.certificatePem, sly.keyPem)).commonName).toBe("someone");
  });

  it("has an empty common name when its certificate names nobody", () => {
    const nobody = ca.issueNode({ commonName: "", organizations: [] });
    expect(parsePair(encodePair(nobody.certificatePem, nobody.keyPem)).commonName).toBe("");
  });

  const refused: Record<string, [string, string]> = {
    "without a certificate": [own.keyPem, "no certificate"],
    "without a key": [own.certificatePem, "no private key"],
    "that is empty": ["", "no certificate"],
    "cut in the middle of its key": [encodePair(own.certificatePem, own.keyPem).slice(0, -60), "no private key"],
    "with another key": [encodePair(own.certificatePem, ca.issueNode().keyPem), "not the key of its certificate"],
    "whose first certificate is the CA": [encodePair(ca.certPem + own.certificatePem, own.keyPem), "not the key"],
    "with garbage in its certificate": [encodePair(own.certificatePem.replace("MII", "AAA"), own.keyPem), "unreadable"],
  };
  for (const [sentence, [text, message]] of Object.entries(refused)) {
    it(`${sentence} is refused`, () => expect(() => parsePair(text)).toThrow(message));
  }
});

function exportKey(pem: string, type: "pkcs1" | "pkcs8"): string {
  return createPrivateKey(pem).export({ type, format: "pem" }).toString();
}
