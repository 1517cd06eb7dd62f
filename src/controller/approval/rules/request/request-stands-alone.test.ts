import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, wrapped } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { encodeUtf8, parseBase64, parseUtf8 } from "../../../../kernel/bytes/index.ts";
import { encodePem } from "../../../../kernel/pem/index.ts";
import { requestStandsAlone } from "./request-stands-alone.ts";

const another = parseUtf8(parseBase64(aCsr().spec.request));
const evidence = encodePem("KUBELET AUTHENTICATOR ATTESTATION DATA", encodeUtf8("{}"));

const ALLOWED: Record<string, CsrModifier> = {
  "one request": wrapped((pem) => pem),
  "text before the request": wrapped((pem) => `made by hand\n${pem}`),
  "evidence after the request": wrapped((pem) => pem + evidence),
};

const REFUSED: Record<string, [CsrModifier, string]> = {
  "a second request behind the first": [wrapped((pem) => pem + another), "RequestIsNotAlone"],
  "a second request before the first": [wrapped((pem) => another + pem), "RequestIsNotAlone"],
  "a second request that Go skips as malformed": [
    wrapped((pem) => `-----BEGIN CERTIFICATE REQUEST-----\n!\n-----END CERTIFICATE REQUEST-----\n${pem}`),
    "RequestIsNotAlone",
  ],
  "a second request under the old label": [
    wrapped((pem) => pem + another.replaceAll("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST")),
    "RequestIsNotAlone",
  ],
  "headers in the request's block": [
    wrapped((pem) => pem.replace("REQUEST-----\n", "REQUEST-----\nX-Name: evil\n\n")),
    "RequestHasHeaders",
  ],
  "more bytes than any honest request has": [wrapped((pem) => pem + "x".repeat(70_000)), "RequestIsTooLarge"],
};

describe("request-stands-alone", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(requestStandsAlone.judge(factsOf(aCsr(modifier)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(requestStandsAlone.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });
});
