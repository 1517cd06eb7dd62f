import { describe, expect, it } from "vitest";
import { codeOf } from "../../../test/builders/code-of.ts";
import { aLeaf, aRoot, TEST_NOW_MS } from "../../../test/builders/x509.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { encodeHex, parseHex } from "../bytes/index.ts";
import {
  contextConstructed,
  contextPrimitive,
  DerReader,
  encodeBitString,
  encodeSequence,
  encodeTlv,
  encodeUnsigned,
  TAG,
} from "../der/index.ts";
import { encodePem } from "../pem/index.ts";
import { type Certificate, parseCertificate, verifyCertificateSignature } from "./certificate.ts";
import { subjectAltNameExtension } from "./extensions/subject-alt-names.ts";
import { parseCertificates, readCertificates } from "./index.ts";

const root = aRoot();
const leaf = aLeaf(root, {
  subject: { commonName: "system:node:a", organizations: ["system:nodes"] },
  extensions: [subjectAltNameExtension({ dnsNames: ["a"] })],
});

/** The elements of the to-be-signed part, to be put together again with one of them changed. */
function fieldsOf({ tbs }: Certificate): Uint8Array[] {
  const content = DerReader.over(tbs).enter(TAG.sequence);
  const fields: Uint8Array[] = [];
  while (!content.isEmpty) fields.push(content.readAnyRaw());
  return fields;
}

const [version, serial, algorithm, issuer, validity, subject, spki, extensions] = fieldsOf(leaf.certificate) as [
  ...(readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]),
  ...(readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]),
];
const assemble = (
  tbs: readonly Uint8Array[],
  outer: readonly Uint8Array[] = [algorithm, encodeBitString(new Uint8Array(8))],
) => encodeSequence([encodeSequence(tbs), ...outer]);
const body = [algorithm, issuer, validity, subject, spki];

describe("parseCertificate", () => {
  it("keeps raw bytes and reads the fields", () => {
    const { certificate } = leaf;
    expect(certificate.version).toBe(3);
    expect(encodeHex(certificate.serialNumber)).toBe("07");
    expect(certificate.issuer.raw).toEqual(root.certificate.subject.raw);
    expect(certificate.subject.organizations).toEqual(["system:nodes"]);
    expect(certificate.notBeforeMs).toBeLessThan(TEST_NOW_MS);
    expect(certificate.notAfterMs).toBeGreaterThan(TEST_NOW_MS);
    expect(certificate.signatureAlgorithm).toBe("ECDSA-SHA256");
    expect(certificate.basicConstraints).toEqual({ ca: false, pathLength: undefined });
    expect(certificate.keyUsage).toEqual(["digitalSignature"]);
    expect(certificate.extKeyUsage).toBeUndefined();
    expect(certificate.subjectAltNames?.dnsNames).toEqual(["a"]);
    expect(certificate.authorityKeyId).toEqual(root.certificate.subjectKeyId);
    expect(encodeHex(certificate.raw)).toContain(encodeHex(certificate.tbs));
  });

  it("reads version 1 without extensions and version 2 with unique identifiers", () => {
    const uniqueId = encodeTlv(contextPrimitive(1), [parseHex("0001")]);
    const version2 = encodeTlv(contextConstructed(0), [encodeUnsigned(Uint8Array.of(1))]);
    expect(parseCertificate(assemble([serial, ...body])).version).toBe(1);
    expect(parseCertificate(assemble([version2, serial, ...body, uniqueId])).version).toBe(2);
  });

  it("reads serial number zero, and 20 octets whose first bit is set: CAs of Kubernetes have them", () => {
    const longest = new Uint8Array(20).fill(0xff);
    expect(parseCertificate(assemble([version, encodeUnsigned(longest), ...body])).serialNumber).toEqual(longest);
    expect(parseCertificate(assemble([version, parseHex("020100"), ...body])).serialNumber).toEqual(Uint8Array.of(0));
  });

  it("reads a signature algorithm it does not know as unsupported, and verifies nothing with it", () => {
    const sha1WithRsa = parseHex("300d06092a864886f70d0101050500");
    const der = assemble(
      [version, serial, sha1WithRsa, ...body.slice(1)],
      [sha1WithRsa, encodeBitString(new Uint8Array(8))],
    );
    const certificate = parseCertificate(der);
    expect(certificate.signatureAlgorithm).toBe("unsupported");
    expect(verifyCertificateSignature(certificate, root.certificate.publicKey)).toBe(false);
  });

  const explicit = (number: number) => encodeTlv(contextConstructed(0), [encodeUnsigned(Uint8Array.of(number))]);
  const otherAlgorithm = parseHex("300a06082a8648ce3d040303");
  const refused: Readonly<Record<string, Uint8Array>> = {
    "version 1 written out": assemble([explicit(0), serial, ...body]),
    "version 4": assemble([explicit(3), serial, ...body, extensions]),
    "extensions in version 2": assemble([explicit(1), serial, ...body, extensions]),
    "extensions in version 1": assemble([serial, ...body, extensions]),
    "a unique identifier in version 1": assemble([serial, ...body, encodeTlv(contextPrimitive(1), [parseHex("0001")])]),
    "a negative serial number": assemble([version, parseHex("0201ff"), ...body]),
    "a different algorithm inside": assemble([version, serial, otherAlgorithm, ...body.slice(1)]),
    "bytes after the signature": assemble(
      [version, serial, ...body],
      [algorithm, encodeBitString(new Uint8Array(8)), serial],
    ),
    "bytes after the certificate": Uint8Array.of(...leaf.certificate.raw, 0),
    "fields in another order": assemble([version, serial, algorithm, validity, issuer, subject, spki]),
    "a field missing": assemble([version, serial, algorithm, issuer, validity, spki]),
    "a signature with unused bits": assemble([version, serial, ...body], [algorithm, parseHex("030204f0")]),
    nothing: new Uint8Array(),
  };
  for (const [sentence, der] of Object.entries(refused)) {
    it(`refuses ${sentence}`, () => expect(codeOf(() => parseCertificate(der))).toBe("malformed"));
  }

  it("refuses a serial number of 21 octets and a certificate of more than 256 KiB", () => {
    const longSerial = assemble([version, encodeUnsigned(new Uint8Array(21).fill(1)), ...body]);
    expect(codeOf(() => parseCertificate(longSerial))).toBe("limit-exceeded");
    expect(codeOf(() => parseCertificate(new Uint8Array(256 * 1024 + 1)))).toBe("limit-exceeded");
  });
});

describe("verifyCertificateSignature", () => {
  it("accepts the issuer's key and refuses another, for every kind of key", () => {
    for (const kind of ["P-256", "P-384", "RSA-2048", "Ed25519"] as const) {
      const ca = aRoot({ key: generatePrivateKey(kind) });
      const { certificate } = aLeaf(ca);
      expect(verifyCertificateSignature(certificate, ca.certificate.publicKey), kind).toBe(true);
      expect(verifyCertificateSignature(certificate, root.certificate.publicKey), kind).toBe(false);
      expect(verifyCertificateSignature(certificate, certificate.publicKey), kind).toBe(false);
    }
  });
});

const pemOf = ({ certificate }: typeof leaf) => encodePem("CERTIFICATE", certificate.raw);
const damaged = encodePem("CERTIFICATE", leaf.certificate.raw.subarray(0, 100));

describe("several certificates in one text", () => {
  it("come in their order, without what stands between them", () => {
    const text = `the leaf:\n${pemOf(leaf)}${encodePem("EC PRIVATE KEY", new Uint8Array(8))}${pemOf(root)}`;
    for (const read of [parseCertificates, readCertificates]) {
      expect(read(text).map(({ raw }) => raw)).toEqual([leaf.certificate.raw, root.certificate.raw]);
    }
  });

  it("may be none", () => expect(parseCertificates("no block\n")).toEqual([]));

  it("are not half of them: one that does not parse spoils all", () => {
    const text = `${pemOf(root)}${damaged}`;
    expect(() => parseCertificates(text)).toThrow(expect.objectContaining({ code: "malformed" }));
    expect(readCertificates(text)).toEqual([]);
  });
});
