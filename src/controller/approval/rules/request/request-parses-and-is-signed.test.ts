import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, withWrongSignature, wrapped } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { encodeUtf8 } from "../../../../kernel/bytes/index.ts";
import { encodePem } from "../../../../kernel/pem/index.ts";
import { requestParsesAndIsSigned } from "./request-parses-and-is-signed.ts";

const { judge } = requestParsesAndIsSigned;

const evidence = encodePem("KUBELET AUTHENTICATOR ATTESTATION DATA", encodeUtf8("{}"));

const ALLOWED: Record<string, CsrModifier> = {
  "one request": wrapped((pem) => pem),
  "text before the request": wrapped((pem) => `made by hand\n${pem}`),
  "evidence after the request": wrapped((pem) => pem + evidence),
  "line ends of Windows": wrapped((pem) => pem.replaceAll("\n", "\r\n")),
};

const REFUSED: Record<string, [CsrModifier, string]> = {
  "evidence before the request": [wrapped((pem) => evidence + pem), "RequestIsUnreadable"],
  "no request at all": [wrapped(() => "hello"), "RequestIsUnreadable"],
  "a block that is no PKCS#10": [
    wrapped(() => encodePem("CERTIFICATE REQUEST", encodeUtf8("hello"))),
    "RequestIsUnreadable",
  ],
  "more bytes than any honest request has": [wrapped((pem) => pem + "x".repeat(1_600_000)), "RequestIsTooLarge"],
  "a signature by nobody": [withWrongSignature(), "RequestSignatureIsWrong"],
};

describe("request-parses-and-is-signed", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(judge(factsOf(aCsr(modifier)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });

  it("refuses bytes that are not base64 of a text", () => {
    const csr = aCsr();
    for (const request of ["%%%", "/////w==", ""]) {
      const spoiled = { ...csr, spec: { ...csr.spec, request } };
      expect(judge(factsOf(spoiled))).toMatchObject({ kind: "Deny", reason: "RequestIsUnreadable" });
    }
  });
});
