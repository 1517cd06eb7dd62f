// The parsers of text and of bare DER from hostile input: a value or a Fault, in bounded time, and what is read can be
// written.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
  parseBase64,
  parseBase64Url,
  parseHex,
  parseUtf8,
} from "../../src/kernel/bytes/index.ts";
import { DerReader, parseOid, readTimeMs } from "../../src/kernel/der/index.ts";
import { encodeOidContent } from "../../src/kernel/der/oid.ts";
import { verifyDetachedHs256 } from "../../src/kernel/jose/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import { matchesDnsName } from "../../src/kernel/x509/host-names.ts";
import { formatIpAddress, parseIpAddress } from "../../src/kernel/x509/index.ts";
import { outcomeOf, runs, spoiled } from "./fuzz.ts";

/** Walks whatever tree the bytes describe, as deep as the reader allows. */
function walk(reader: DerReader): void {
  while (!reader.isEmpty) {
    const tag = reader.nextTag ?? 0;
    if ((tag & 0x20) !== 0) walk(reader.enter(tag));
    else reader.read(tag);
  }
}

describe("fuzzed text and DER", () => {
  it("has one spelling of each byte string in base64, base64url and hexadecimal", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 24 }),
      fc.base64String({ maxLength: 24 }),
      fc.stringMatching(/^[\w+/=-]{0,24}$/),
    );
    fc.assert(
      fc.property(text, (any) => {
        outcomeOf(() => expect(encodeBase64(parseBase64(any))).toBe(any));
        outcomeOf(() => expect(encodeBase64Url(parseBase64Url(any))).toBe(any));
        outcomeOf(() => expect(encodeHex(parseHex(any))).toBe(any.toLowerCase()));
      }),
      runs(2000),
    );
  });

  it("reads well-formed UTF-8 alone", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        outcomeOf(() => expect(encodeUtf8(parseUtf8(bytes))).toEqual(bytes));
      }),
      runs(1000),
    );
  });

  it("finds PEM blocks in any text, and the same ones in what it writes of them", () => {
    const pieces = [
      "-----BEGIN ",
      "-----END ",
      "A-----",
      "\n",
      "\r\n",
      " ",
      "AQID",
      "AQ==",
      "k: v",
      "é",
      ":",
      "-----BEGIN A-----\n",
      "\n-----END A-----\n",
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })), { maxLength: 30 });
    fc.assert(
      fc.property(text, (parts) => {
        const blocks = parsePem(parts.join(""));
        for (const { label, bytes } of blocks) {
          if (/^[A-Z ]+$/.test(label))
            expect(parsePem(encodePem(label, bytes))).toEqual([{ label, headers: [], bytes }]);
        }
      }),
      runs(2000),
    );
  });

  it("walks any bytes as DER without running away", () => {
    const nested = Uint8Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 0x30 : 0x7e));
    const corpus = [nested, encodeUtf8("0\u0003\u0002\u0001\u0005"), new Uint8Array(64).fill(0x30)];
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), spoiled(corpus)), (bytes) => {
        outcomeOf(() => walk(DerReader.over(bytes)));
        outcomeOf(() => readTimeMs(DerReader.over(bytes)));
        outcomeOf(() => expect(encodeOidContent(parseOid(bytes))).toEqual(bytes));
      }),
      runs(3000),
    );
  });

  it("reads addresses and hosts from any text", () => {
    const text = fc.oneof(fc.string({ maxLength: 50 }), fc.stringMatching(/^[0-9a-f:.]{0,45}$/), fc.ipV6(), fc.ipV4());
    const names = { dnsNames: ["*.example", "a.example"], ipAddresses: [], uris: [], emails: [], others: 0 };
    fc.assert(
      fc.property(text, (any) => {
        const octets = parseIpAddress(any);
        if (octets !== undefined) expect(parseIpAddress(formatIpAddress(octets))).toEqual(octets);
        matchesDnsName({ ...names, dnsNames: [...names.dnsNames, any] }, any);
        expect(verifyDetachedHs256({ jws: any, keyId: "abcdef", secret: "s", content: "c" })).toBe(false);
      }),
      runs(2000),
    );
  });
});
