import { describe, expect, it } from "vitest";
import { codeOf } from "../../../test/builders/code-of.ts";
import { aRequest } from "../../../test/builders/x509.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { encodeUtf8, parseHex } from "../bytes/index.ts";
import {
  contextConstructed,
  DerReader,
  encodeBitString,
  encodeDirectoryString,
  encodeOid,
  encodeSequence,
  encodeSetOf,
  encodeTlv,
  TAG,
} from "../der/index.ts";
import { encodeExtensions } from "./extensions/extension.ts";
import { subjectAltNameExtension } from "./extensions/subject-alt-names.ts";
import { OID_EXTENSION_REQUEST } from "./oids.ts";
import { parseCertificateRequest, verifyRequestSignature } from "./request.ts";

const PROVIDER_ID = { oid: "1.3.6.1.4.1.11129.2.1.21", critical: false, value: encodeUtf8("provider://node-1") };

const { request } = aRequest();
const content = DerReader.over(request.tbs).enter(TAG.sequence);
const [version, subject, spki] = [content.readAnyRaw(), content.readAnyRaw(), content.readAnyRaw()];
const algorithm = parseHex("300a06082a8648ce3d040302");

function withAttributes(...attributes: Uint8Array[]): Uint8Array {
  return assemble([version, subject, spki, encodeTlv(contextConstructed(0), attributes)]);
}
function assemble(tbs: readonly Uint8Array[]): Uint8Array {
  return encodeSequence([encodeSequence(tbs), algorithm, encodeBitString(new Uint8Array(8))]);
}
function attribute(oid: string, ...values: Uint8Array[]): Uint8Array {
  return encodeSequence([encodeOid(oid), encodeSetOf(values)]);
}
describe("certificate requests", () => {
  it("say what a kubelet's says", () => {
    expect(request.subject.commonName).toBe("system:node:worker-1");
    expect(request.subject.organizations).toEqual(["system:nodes"]);
    expect(request.publicKey).toMatchObject({ algorithm: "EC", curve: "P-256" });
    expect(request.extensions).toEqual([]);
    expect(request.attributes).toEqual([]);
    expect(request.subjectAltNames).toBeUndefined();
    expect(verifyRequestSignature(request)).toBe(true);
  });

  it("carry extensions, known and custom", () => {
    const altNames = subjectAltNameExtension({ dnsNames: ["worker-1"], ipAddresses: ["10.0.0.5"] });
    const asked = aRequest({ extensions: [altNames, PROVIDER_ID] }).request;
    expect(asked.extensions).toEqual([altNames, PROVIDER_ID]);
    expect(asked.subjectAltNames).toMatchObject({ dnsNames: ["worker-1"], ipAddresses: ["10.0.0.5"] });
    expect(asked.attributes).toEqual([OID_EXTENSION_REQUEST]);
    expect(verifyRequestSignature(asked)).toBe(true);
  });

  it("are signed with the key they ask a certificate for, of every kind", () => {
    for (const kind of ["P-256", "P-384", "RSA-2048", "Ed25519"] as const) {
      const signed = aRequest({ key: generatePrivateKey(kind) }).request;
      expect(verifyRequestSignature(signed), kind).toBe(true);
      const changed = Uint8Array.from(signed.raw);
      const inName = changed.indexOf(0x77, 20);
      changed[inName] = 0x57;
      expect(verifyRequestSignature(parseCertificateRequest(changed)), kind).toBe(false);
    }
  });

  it("may have other attributes in any order", () => {
    const password = attribute("1.2.840.113549.1.9.7", encodeDirectoryString("challenge"));
    const der = withAttributes(attribute(OID_EXTENSION_REQUEST, encodeExtensions([PROVIDER_ID])), password);
    expect(parseCertificateRequest(der).attributes).toEqual([OID_EXTENSION_REQUEST, "1.2.840.113549.1.9.7"]);
  });

  const extensionRequest = attribute(OID_EXTENSION_REQUEST, encodeExtensions([PROVIDER_ID]));
  const refused: Readonly<Record<string, Uint8Array>> = {
    "with another version": assemble([parseHex("020101"), subject, spki, parseHex("a000")]),
    "without attributes, even empty ones": assemble([version, subject, spki]),
    "with the extensions twice": withAttributes(extensionRequest, extensionRequest),
    "with two sets of extensions in one attribute": withAttributes(
      attribute(OID_EXTENSION_REQUEST, encodeExtensions([PROVIDER_ID]), encodeExtensions([PROVIDER_ID])),
    ),
    "with an extension request without value": withAttributes(attribute(OID_EXTENSION_REQUEST)),
    "with bytes after the attributes": assemble([version, subject, spki, parseHex("a000"), version]),
    "with bytes after the request": Uint8Array.of(...request.raw, 0),
  };
  for (const [sentence, der] of Object.entries(refused)) {
    it(`are refused ${sentence}`, () => expect(codeOf(() => parseCertificateRequest(der))).toBe("malformed"));
  }

  it("are refused with too many attributes or octets", () => {
    const many = Array.from({ length: 17 }, (_, i) => attribute(`1.2.${i}`, encodeDirectoryString("x")));
    expect(codeOf(() => parseCertificateRequest(withAttributes(...many)))).toBe("limit-exceeded");
    expect(codeOf(() => parseCertificateRequest(new Uint8Array(256 * 1024 + 1)))).toBe("limit-exceeded");
  });
});
