import { describe, expect, it } from "vitest";
import { aRevocationList } from "../../../test/builders/revocation-list.ts";
import { aRoot } from "../../../test/builders/x509.ts";
import { parseHex } from "../bytes/index.ts";
import { encodeBoolean, encodeOctetString, encodeOid, encodeSequence } from "../der/index.ts";
import { isFault } from "../outcome/index.ts";
import { parsePem } from "../pem/index.ts";
import { isListed, parseCertificate, parseRevocationList, verifyRevocationListSignature } from "./index.ts";

/** Made by openssl 3.0: `openssl ca -gencrl`, two serials, one with a reason. */
const OPENSSL_CA = `-----BEGIN CERTIFICATE-----
MIIBjjCCATWgAwIBAgIUBx1gNI1HSaPmtFRJZ+/pfpvW/QwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJY3JsLW1ha2VyMCAXDTI2MTExNjAzNTkyNloYDzIxMjYxMDIz
MDM1OTI2WjAUMRIwEAYDVQQDDAljcmwtbWFrZXIwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQjyNDp9MXfCu/iL7hvt4vIhC/bRKNxvn04K1IelMq07Hq/4+uj4lfY
iOHaP4MBPpOfNPTb7uH440lxxAdQHmbto2MwYTAdBgNVHQ4EFgQUxCQWcSmWsQ1I
UUXHJ4TBkzEILOwwHwYDVR0jBBgwFoAUxCQWcSmWsQ1IUUXHJ4TBkzEILOwwDwYD
VR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwIDRwAwRAIg
NFQtdxMfUIrz6vAyVoUCkmPGfMO05Z+i6FJO3vEbIFsCIEfWxyWbAJKkHn9OsBGQ
eTITzYd3cxEp1SXPjwFVn3Ex
-----END CERTIFICATE-----
`;
const OPENSSL_LIST = `-----BEGIN X509 CRL-----
MIIBCzCBsgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAljcmwtbWFrZXIXDTI2
MTExNjAzNTkyNloYDzIxMjYxMDIzMDM1OTI2WjA6MBMCAhI0Fw0yNjAxMDIwMDAw
MDBaMCMCBADA/+4XDTI2MDEwMTAwMDAwMFowDDAKBgNVHRUEAwoBAaAvMC0wHwYD
VR0jBBgwFoAUxCQWcSmWsQ1IUUXHJ4TBkzEILOwwCgYDVR0UBAMCAQEwCgYIKoZI
zj0EAwIDSAAwRQIhAKavC7MCa6A3aAnSpYHpZ3RH35/EDE1WSPkSRWBLQLtVAiAj
s4uWes0ew1ptAnrmNRBjTp23bPRzdalOdwKJTlcIzw==
-----END X509 CRL-----
`;

const der = (pem: string) => parsePem(pem)[0]?.bytes ?? new Uint8Array();

describe("a revocation list", () => {
  it("of openssl is read as openssl reads it", () => {
    const list = parseRevocationList(der(OPENSSL_LIST));
    expect(list.issuer.commonName).toBe("crl-maker");
    expect([...list.revoked]).toEqual(["1234", "c0ffee"]);
    expect(isListed(list, parseHex("c0ffee"))).toBe(true);
    expect(isListed(list, parseHex("c0ffef"))).toBe(false);
    expect(new Date(list.thisUpdateMs).toISOString()).toBe("2026-11-16T03:59:26.000Z");
    expect(new Date(list.nextUpdateMs ?? 0).toISOString()).toBe("2126-10-23T03:59:26.000Z");
    expect(verifyRevocationListSignature(list, parseCertificate(der(OPENSSL_CA)).publicKey)).toBe(true);
    expect(verifyRevocationListSignature(list, aRoot().certificate.publicKey)).toBe(false);
  });

  it("may be empty, and without an end", () => {
    const list = parseRevocationList(aRevocationList(aRoot(), { serials: [] }));
    expect(list.revoked.size).toBe(0);
    expect(list.nextUpdateMs).toBeUndefined();
  });

  const critical = encodeSequence([
    encodeSequence([encodeOid("2.5.29.27"), encodeBoolean(true), encodeOctetString(Uint8Array.of(2, 1, 1))]),
  ]);
  const refused: Readonly<Record<string, [() => Uint8Array, string]>> = {
    "that only changes another list": [() => aRevocationList(aRoot(), { extensions: critical }), "unsupported"],
    "cut off": [() => der(OPENSSL_LIST).subarray(0, 100), "malformed"],
    "with a byte too many": [() => Uint8Array.from([...der(OPENSSL_LIST), 0]), "malformed"],
    "that is a certificate": [() => der(OPENSSL_CA), "malformed"],
    "of nine mebibytes": [() => new Uint8Array(9 << 20), "limit-exceeded"],
  };
  it.each(Object.entries(refused))("%s is refused", (_, [bytes, code]) => {
    try {
      parseRevocationList(bytes());
      expect.unreachable();
    } catch (error) {
      expect(isFault(error) && error.code).toBe(code);
    }
  });
});
