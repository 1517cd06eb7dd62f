import { describe, expect, it } from "vitest";
import { aLeaf, aRoot } from "../../../test/builders/x509.ts";
import { encodePem } from "../pem/index.ts";
import { parseCertificates, readCertificates } from "./index.ts";

const root = aRoot();
const leaf = aLeaf(root);
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
