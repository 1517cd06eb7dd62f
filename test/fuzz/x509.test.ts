// Certificates, requests, their parts and paths of them from hostile bytes: a value or a Fault, nothing else; and what
// is read here is also read by OpenSSL, which is the more lenient of the two.
import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { contextConstructed, contextPrimitive, encodeSequence, encodeTlv } from "../../src/kernel/der/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parseBasicConstraints } from "../../src/kernel/x509/extensions/basic-constraints.ts";
import { parseExtKeyUsage, parseKeyUsage } from "../../src/kernel/x509/extensions/key-usage.ts";
import { parseSubjectAltNames } from "../../src/kernel/x509/extensions/subject-alt-names.ts";
import {
  type Certificate,
  EKU_CLIENT_AUTH,
  type Extension,
  extKeyUsageExtension,
  parseCertificate,
  parseCertificateRequest,
  parsePublicKey,
  subjectAltNameExtension,
  validateChain,
  verifyCertificateSignature,
  verifyRequestSignature,
} from "../../src/kernel/x509/index.ts";
import { parseName } from "../../src/kernel/x509/name.ts";
import { OID_NAME_CONSTRAINTS } from "../../src/kernel/x509/oids.ts";
import { generatePrivateKey, parsePrivateKey } from "../../src/platform/keys/index.ts";
import { aLeaf, anIntermediate, aRequest, aRoot, TEST_NOW_MS } from "../builders/x509.ts";
import { outcomeOf, runs, spoiled } from "./fuzz.ts";

const altNames = subjectAltNameExtension({
  dnsNames: ["a.example"],
  ipAddresses: ["10.0.0.1", "2001:db8::1"],
  uris: ["spiffe://c/n"],
  emails: ["a@b.example"],
});
const subtree = encodeSequence([encodeTlv(contextPrimitive(2), [encodeUtf8("example")])]);
const constraints: Extension = {
  oid: OID_NAME_CONSTRAINTS,
  critical: true,
  value: encodeSequence([encodeTlv(contextConstructed(0), [subtree])]),
};
const root = aRoot({ extensions: [constraints] });
const intermediate = anIntermediate(root);
const leaf = aLeaf(intermediate, { extensions: [altNames, extKeyUsageExtension([EKU_CLIENT_AUTH])] });
const rsaRoot = aRoot({ key: generatePrivateKey("RSA-2048") });
const edLeaf = aLeaf(rsaRoot, { key: generatePrivateKey("Ed25519") });
const certificates = [root, intermediate, leaf, rsaRoot, edLeaf].map(({ certificate }) => certificate);
const requests = [aRequest(), aRequest({ extensions: [altNames] }), aRequest({ key: generatePrivateKey("P-384") })];

function parsed(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der);
  } catch (fault) {
    if (isFault(fault)) return undefined;
    throw fault;
  }
}

describe("fuzzed X.509", () => {
  it("refuses arbitrary bytes with a Fault", () => {
    const parsers = [parseCertificate, parseCertificateRequest, parsePublicKey, parseName, parseSubjectAltNames];
    const others = [parseBasicConstraints, parseKeyUsage, parseExtKeyUsage];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const parse of [...parsers, ...others]) outcomeOf(() => parse(bytes));
      }),
      runs(500),
    );
  });

  it("reads a spoiled certificate, or refuses it with a Fault; OpenSSL reads what is read", () => {
    fc.assert(
      fc.property(spoiled(certificates.map(({ raw }) => raw)), (der) => {
        const certificate = parsed(der);
        if (certificate === undefined) return;
        expect(certificate.raw).toBe(der);
        const theirs = new X509Certificate(der);
        expect(theirs.publicKey.export({ type: "spki", format: "der" })).toEqual(
          Buffer.from(certificate.publicKey.spki),
        );
        expect(Date.parse(theirs.validTo)).toBe(certificate.notAfterMs);
      }),
      runs(4000),
    );
  });

  it("never accepts a spoiled certificate as signed", () => {
    fc.assert(
      fc.property(spoiled([leaf.certificate.raw]), (der) => {
        const certificate = parsed(der);
        if (certificate === undefined) return;
        const isSame = Buffer.compare(certificate.tbs, leaf.certificate.tbs) === 0;
        if (!isSame) expect(verifyCertificateSignature(certificate, intermediate.certificate.publicKey)).toBe(false);
      }),
      runs(1500),
    );
  });

  it("reads a spoiled request, or refuses it with a Fault, and verifies only the bytes that were signed", () => {
    fc.assert(
      fc.property(spoiled(requests.map(({ request }) => request.raw)), (der) => {
        outcomeOf(() => {
          const request = parseCertificateRequest(der);
          const isOriginal = requests.some((original) => Buffer.compare(original.request.tbs, request.tbs) === 0);
          if (!isOriginal) expect(verifyRequestSignature(request)).toBe(false);
        });
      }),
      runs(2500),
    );
  });

  it("reads spoiled extension values, names and keys, or refuses them with a Fault", () => {
    const values = certificates.flatMap(({ extensions, subject, publicKey }) => [
      ...extensions.map(({ value }) => value),
      subject.raw,
      publicKey.spki,
    ]);
    const parsers = [
      parseSubjectAltNames,
      parseBasicConstraints,
      parseKeyUsage,
      parseExtKeyUsage,
      parseName,
      parsePublicKey,
    ];
    fc.assert(
      fc.property(spoiled(values), (value) => {
        for (const parse of parsers) outcomeOf(() => parse(value));
      }),
      runs(2500),
    );
  });

  it("judges any set of spoiled certificates without an exception", () => {
    const some = fc.array(spoiled(certificates.map(({ raw }) => raw)), { maxLength: 6 });
    fc.assert(
      fc.property(spoiled([leaf.certificate.raw, edLeaf.certificate.raw]), some, (leafDer, others) => {
        const spoiltLeaf = parsed(leafDer) ?? leaf.certificate;
        const rest = others.map(parsed).filter((certificate) => certificate !== undefined);
        const intermediates = [...rest, intermediate.certificate];
        validateChain({
          leaf: spoiltLeaf,
          intermediates,
          roots: [...rest, root.certificate],
          nowMs: TEST_NOW_MS,
          dnsName: "a.example",
        });
      }),
      runs(600),
    );
  });

  it("reads spoiled private keys, or refuses them with a Fault", () => {
    const texts = (["P-256", "RSA-2048", "Ed25519"] as const).map((kind) => generatePrivateKey(kind).encodePem());
    const blocks = texts.flatMap((text) => parsePem(text));
    fc.assert(
      fc.property(
        fc.constantFrom("PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"),
        spoiled(blocks.map(({ bytes }) => bytes)),
        (label, bytes) => {
          const pem = `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString("base64")}\n-----END ${label}-----\n`;
          outcomeOf(() => parsePrivateKey(pem).signer.sign(bytes));
        },
      ),
      runs(500),
    );
  });
});
