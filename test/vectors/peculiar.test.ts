// The same bytes through @peculiar/x509, an independent reader and writer of certificates in TypeScript.
import { webcrypto } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodeHex } from "../../src/kernel/bytes/index.ts";
import {
  EKU_CLIENT_AUTH,
  extKeyUsageExtension,
  parseCertificate,
  parseCertificateRequest,
  subjectAltNameExtension,
  verifyCertificateSignature,
  verifyRequestSignature,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import { aLeaf, aRequest, aRoot } from "../builders/x509.ts";
import { loadPeculiar } from "../builders/x509-peculiar.mjs";

const peculiar = await loadPeculiar();

const ALGORITHMS = {
  "ECDSA P-256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "ECDSA P-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  "ECDSA P-521": { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  "RSA PKCS#1": {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  },
  Ed25519: { name: "Ed25519" },
} as const;

describe("@peculiar/x509 and the kernel", () => {
  for (const [name, algorithm] of Object.entries(ALGORITHMS)) {
    it(`agree on what @peculiar/x509 makes with ${name}`, async () => {
      const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
      const altNames = new peculiar.SubjectAlternativeNameExtension([
        { type: "dns", value: "a.example" },
        { type: "ip", value: "10.0.0.1" },
      ]);
      const made = await peculiar.X509CertificateGenerator.createSelfSigned({
        serialNumber: "0a0b",
        name: "O=system:nodes, CN=system:node:a",
        notBefore: new Date("2026-01-01T00:00:00Z"),
        notAfter: new Date("2060-01-01T00:00:00Z"),
        keys,
        signingAlgorithm: algorithm,
        extensions: [new peculiar.BasicConstraintsExtension(true, 1, true), altNames],
      });
      const certificate = parseCertificate(new Uint8Array(made.rawData));
      expect(verifyCertificateSignature(certificate, certificate.publicKey)).toBe(true);
      expect(encodeHex(certificate.serialNumber)).toBe("0a0b");
      expect(certificate.subject.commonName).toBe("system:node:a");
      expect(certificate.notAfterMs).toBe(Date.UTC(2060, 0, 1));
      expect(certificate.basicConstraints).toEqual({ ca: true, pathLength: 1 });
      expect(certificate.subjectAltNames).toMatchObject({ dnsNames: ["a.example"], ipAddresses: ["10.0.0.1"] });

      const asked = await peculiar.Pkcs10CertificateRequestGenerator.create({
        name: "O=system:nodes, CN=system:node:a",
        keys,
        signingAlgorithm: algorithm,
        extensions: [altNames],
      });
      const request = parseCertificateRequest(new Uint8Array(asked.rawData));
      expect(verifyRequestSignature(request)).toBe(true);
      expect(request.subject.organizations).toEqual(["system:nodes"]);
      expect(request.subjectAltNames).toMatchObject({ dnsNames: ["a.example"], ipAddresses: ["10.0.0.1"] });
    });
  }

  for (const kind of ["P-256", "P-384", "RSA-2048", "Ed25519"] as const) {
    it(`agree on what is made here with ${kind}`, async () => {
      const root = aRoot({ key: generatePrivateKey(kind) });
      const names = subjectAltNameExtension({ dnsNames: ["a.example"], ipAddresses: ["2001:db8::1"] });
      const leaf = aLeaf(root, {
        subject: { commonName: "system:node:a_b", organizations: ["system:nodes"] },
        extensions: [names, extKeyUsageExtension([EKU_CLIENT_AUTH])],
      });
      const [rootRead, leafRead] = [root, leaf].map(({ certificate }) => new peculiar.X509Certificate(certificate.raw));
      if (rootRead === undefined || leafRead === undefined) expect.unreachable("two certificates were made");
      expect(await leafRead.verify({ publicKey: rootRead, signatureOnly: true })).toBe(true);
      expect(leafRead.subject).toBe("O=system:nodes, CN=system:node:a_b");
      expect(leafRead.getExtension(peculiar.ExtendedKeyUsageExtension)?.usages).toEqual([EKU_CLIENT_AUTH]);
      const altNames = leafRead.getExtension(peculiar.SubjectAlternativeNameExtension)?.names.toJSON();
      expect(altNames).toEqual([
        { type: "dns", value: "a.example" },
        { type: "ip", value: "2001:db8::1" },
      ]);

      const { request } = aRequest({ key: generatePrivateKey(kind) });
      const requestRead = new peculiar.Pkcs10CertificateRequest(request.raw);
      expect(await requestRead.verify()).toBe(true);
      expect(requestRead.subject).toBe("O=system:nodes, CN=system:node:worker-1");
    });
  }
});
