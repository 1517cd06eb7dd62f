import { createHash, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { caPinOf, parseCaPin } from "./roots.ts";

describe("a CA pin", () => {
  const pin = `sha256:${"0a".repeat(32)}`;

  it("is read in either case and written in lower case", () => {
    expect(parseCaPin(pin.toUpperCase())).toBe(pin);
  });

  for (const text of ["", "sha256:", `sha1:${"0a".repeat(32)}`, `${pin}00`, pin.replace("0a", "zz"), ` ${pin}`]) {
    it(`is not ${JSON.stringify(text.slice(0, 24))}`, () => expect(() => parseCaPin(text)).toThrow("is not sha256:"));
  }

  it("is the digest of the public key that OpenSSL reads from the certificate", () => {
    const { certificate, certPem } = aNodeCa();
    const spki = new X509Certificate(certPem).publicKey.export({ type: "spki", format: "der" });
    expect(caPinOf(certificate)).toBe(`sha256:${createHash("sha256").update(spki).digest("hex")}`);
  });
});
