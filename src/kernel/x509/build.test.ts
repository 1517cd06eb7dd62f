import { describe, expect, it } from "vitest";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { encodeHex, parseHex } from "../bytes/index.ts";
import { type CertificateTemplate, signCertificate } from "./build.ts";
import { parseCertificate } from "./certificate.ts";
import { encodeName } from "./name.ts";

const key = generatePrivateKey("P-256");
const template: CertificateTemplate = {
  serialNumber: parseHex("0001"),
  subject: { commonName: "jane" },
  issuer: encodeName({ commonName: "kubernetes" }),
  notBeforeMs: Date.UTC(2026, 0, 1, 0, 0, 0, 999),
  notAfterMs: Date.UTC(2056, 0, 1),
  publicKey: key.signer.publicKey,
  extensions: [],
};

describe("signCertificate", () => {
  it("signs what the template says, times to the second", () => {
    const certificate = parseCertificate(signCertificate(template, key.signer));
    expect(encodeHex(certificate.serialNumber)).toBe("01");
    expect(certificate.subject.commonName).toBe("jane");
    expect(certificate.notBeforeMs).toBe(Date.UTC(2026, 0, 1));
    expect(certificate.notAfterMs).toBe(Date.UTC(2056, 0, 1));
    expect(certificate.extensions).toEqual([]);
    expect(certificate.publicKey.spki).toEqual(key.signer.publicKey);
  });

  it("keeps a raw subject byte for byte", () => {
    const subject = encodeName({ commonName: "a_b", organizations: ["z", "a"] });
    expect(parseCertificate(signCertificate({ ...template, subject }, key.signer)).subject.raw).toEqual(subject);
  });

  it("writes serial numbers of up to 159 bits and refuses longer ones and zero", () => {
    const longest = new Uint8Array(20).fill(0xff);
    longest[0] = 0x7f;
    expect(parseCertificate(signCertificate({ ...template, serialNumber: longest }, key.signer)).serialNumber).toEqual(
      longest,
    );
    for (const serialNumber of [
      new Uint8Array(20).fill(0x80),
      new Uint8Array(21).fill(1),
      new Uint8Array(3),
      new Uint8Array(),
    ]) {
      expect(() => signCertificate({ ...template, serialNumber }, key.signer)).toThrow("serial number");
    }
  });
});
