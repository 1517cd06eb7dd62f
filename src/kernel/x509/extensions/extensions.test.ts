import { describe, expect, it } from "vitest";
import { encodeHex, encodeUtf8, parseHex } from "../../bytes/index.ts";
import {
  contextConstructed,
  contextPrimitive,
  DerReader,
  encodeOctetString,
  encodeOid,
  encodeSequence,
  encodeTlv,
  encodeUnsigned,
  TAG,
} from "../../der/index.ts";
import { EKU_CLIENT_AUTH, EKU_SERVER_AUTH } from "../oids.ts";
import { basicConstraintsExtension, parseBasicConstraints } from "./basic-constraints.ts";
import { encodeExtensions, readExtensions } from "./extension.ts";
import { authorityKeyIdExtension, parseAuthorityKeyId, parseSubjectKeyId, subjectKeyIdExtension } from "./key-ids.ts";
import { extKeyUsageExtension, KEY_USAGES, keyUsageExtension, parseExtKeyUsage, parseKeyUsage } from "./key-usage.ts";
import { checkInfoAccess } from "./known.ts";
import { parseNameConstraints } from "./name-constraints.ts";
import { parseSubjectAltNames, subjectAltNameExtension } from "./subject-alt-names.ts";

const dns = (text: string) => encodeTlv(contextPrimitive(2), [encodeUtf8(text)]);
const email = (text: string) => encodeTlv(contextPrimitive(1), [encodeUtf8(text)]);
const ip = (hex: string) => encodeTlv(contextPrimitive(7), [parseHex(hex)]);

describe("the list of extensions", () => {
  const custom = { oid: "1.3.6.1.4.1.11129.2.1.21", critical: false, value: encodeUtf8("any bytes") };
  const critical = { oid: "1.2.3", critical: true, value: new Uint8Array() };

  it("carries any OID with any value", () => {
    const extensions = [custom, critical];
    expect(readExtensions(DerReader.over(encodeExtensions(extensions)))).toEqual(extensions);
  });

  it("is refused empty, with an OID twice, with criticality false written out, and too long", () => {
    const writtenOut = encodeSequence([encodeOid("1.2.3"), parseHex("010100"), encodeOctetString(new Uint8Array())]);
    const many = Array.from({ length: 65 }, (_, i) => ({ ...custom, oid: `1.2.${i}` }));
    const refused = [
      encodeExtensions([]),
      encodeExtensions([custom, custom]),
      encodeSequence([writtenOut]),
      encodeExtensions(many),
    ];
    for (const der of refused) expect(() => readExtensions(DerReader.over(der))).toThrow();
  });
});

describe("basicConstraints", () => {
  it("are read as written", () => {
    for (const constraints of [
      { ca: false },
      { ca: true },
      { ca: true, pathLength: 0 },
      { ca: true, pathLength: 200 },
    ]) {
      const { value, critical } = basicConstraintsExtension(constraints);
      expect(critical).toBe(true);
      expect(parseBasicConstraints(value)).toEqual({ pathLength: undefined, ...constraints });
    }
  });

  it("are refused with a false CA bit written out, or a path length without one", () => {
    for (const hex of ["3003010100", "3003020100", "30060101ff0201ff", "30060101ff020100ff", "3000ff"]) {
      expect(() => parseBasicConstraints(parseHex(hex)), hex).toThrow();
    }
    expect(() => basicConstraintsExtension({ ca: false, pathLength: 1 })).toThrow("CA alone");
    expect(() => basicConstraintsExtension({ ca: true, pathLength: 256 })).toThrow("0 to 255");
  });
});

describe("key usages", () => {
  it("are read as written", () => {
    for (const usage of KEY_USAGES) expect(parseKeyUsage(keyUsageExtension([usage]).value)).toEqual([usage]);
    expect(parseKeyUsage(keyUsageExtension(["keyCertSign", "digitalSignature"]).value)).toEqual([
      "digitalSignature",
      "keyCertSign",
    ]);
    expect(encodeHex(keyUsageExtension(["digitalSignature", "keyEncipherment"]).value)).toBe("030205a0");
    const purposes = [EKU_CLIENT_AUTH, EKU_SERVER_AUTH];
    expect(parseExtKeyUsage(extKeyUsageExtension(purposes).value)).toEqual(purposes);
  });

  it("may have trailing zero bits, as public roots do", () => {
    expect(parseKeyUsage(parseHex("03020006"))).toEqual(["keyCertSign", "cRLSign"]);
    expect(parseKeyUsage(parseHex("0303008000"))).toEqual(["digitalSignature"]);
  });

  it("are refused empty or with unknown bits", () => {
    for (const hex of ["030100", "03020700", "03020000", "0303060040"])
      expect(() => parseKeyUsage(parseHex(hex)), hex).toThrow();
    expect(() => parseExtKeyUsage(encodeSequence([]))).toThrow("at least one");
    expect(() => keyUsageExtension([])).toThrow("at least one");
    expect(() => extKeyUsageExtension([])).toThrow("at least one");
  });
});

describe("subjectAltName", () => {
  const names = {
    dnsNames: ["a.example", "*.b.example"],
    ipAddresses: ["10.0.0.1", "2001:db8::1"],
    uris: ["spiffe://cluster/node"],
    emails: ["a@b.example"],
  };

  it("is read as written, in Go's order", () => {
    const { value } = subjectAltNameExtension(names);
    expect(parseSubjectAltNames(value)).toEqual({ ...names, others: 0 });
    const order: (number | undefined)[] = [];
    const list = DerReader.over(value).enter(TAG.sequence);
    for (; !list.isEmpty; list.readAnyRaw()) order.push(list.nextTag);
    expect(order).toEqual([0x82, 0x82, 0x81, 0x87, 0x87, 0x86]);
  });

  it("counts the names it has no text for", () => {
    const directory = encodeTlv(contextConstructed(4), [encodeSequence([])]);
    const registered = encodeTlv(contextPrimitive(8), [parseHex("2a03")]);
    const other = encodeTlv(contextConstructed(0), [encodeOid("1.2.3")]);
    const { others, dnsNames } = parseSubjectAltNames(encodeSequence([directory, dns("a"), registered, other]));
    expect([others, dnsNames]).toEqual([3, ["a"]]);
  });

  it("is refused empty, with an unknown kind, or with a malformed name", () => {
    const refused = [[], [parseHex("8901ff")], [dns("é")], [ip("0a0000")], [parseHex("a4020500")], [parseHex("8800")]];
    for (const list of refused) expect(() => parseSubjectAltNames(encodeSequence(list))).toThrow();
    expect(() => subjectAltNameExtension({})).toThrow("at least one");
    expect(() => subjectAltNameExtension({ dnsNames: [""] })).toThrow("empty");
    expect(() => subjectAltNameExtension({ ipAddresses: ["1.2.3"] })).toThrow("IP address");
  });
});

describe("key identifiers", () => {
  const keyId = parseHex("0102");
  it("are read as written", () => {
    expect(parseSubjectKeyId(subjectKeyIdExtension(keyId).value)).toEqual(keyId);
    expect(parseAuthorityKeyId(authorityKeyIdExtension(keyId).value)).toEqual(keyId);
  });

  const issuer = encodeTlv(contextConstructed(1), [dns("ca")]);
  const serial = encodeTlv(contextPrimitive(2), [parseHex("05")]);
  it("may name the issuer's certificate with issuer and serial number together", () => {
    expect(parseAuthorityKeyId(encodeSequence([issuer, serial]))).toBeUndefined();
    for (const parts of [[issuer], [serial], [serial, issuer]])
      expect(() => parseAuthorityKeyId(encodeSequence(parts))).toThrow();
  });

  it("are refused empty or endless", () => {
    for (const id of [new Uint8Array(), new Uint8Array(65)]) {
      expect(() => parseSubjectKeyId(subjectKeyIdExtension(id).value)).toThrow("key identifier");
      expect(() => parseAuthorityKeyId(authorityKeyIdExtension(id).value)).toThrow("key identifier");
    }
  });
});

describe("authorityInfoAccess", () => {
  const description = encodeSequence([
    encodeOid("1.3.6.1.5.5.7.48.1"),
    encodeTlv(contextPrimitive(6), [encodeUtf8("http://a")]),
  ]);
  it("is checked for its form", () => {
    checkInfoAccess(encodeSequence([description]));
    const refused = [
      encodeSequence([]),
      encodeSequence([encodeSequence([])]),
      encodeSequence(Array(65).fill(description)),
    ];
    for (const der of refused) expect(() => checkInfoAccess(der)).toThrow();
  });
});

describe("nameConstraints", () => {
  const subtrees = (number: number, ...bases: Uint8Array[]) =>
    encodeTlv(
      contextConstructed(number),
      bases.map((base) => encodeSequence([base])),
    );

  it("are read as permitted and excluded patterns", () => {
    const constraints = parseNameConstraints(
      encodeSequence([subtrees(0, dns("a.example"), ip("0a000000ff000000")), subtrees(1, email(".b"))]),
    );
    expect(constraints.permitted.map(({ kind }) => kind)).toEqual(["dns", "ip"]);
    expect(constraints.excluded).toEqual([{ kind: "email", text: ".b" }]);
  });

  const refused: Readonly<Record<string, Uint8Array>> = {
    "without any list": encodeSequence([]),
    "with an empty list": encodeSequence([subtrees(0)]),
    "with a wildcard": encodeSequence([subtrees(0, dns("*.a"))]),
    "with a leading period before a host": encodeSequence([subtrees(0, dns(".a"))]),
    "with an address without mask": encodeSequence([subtrees(0, ip("0a000001"))]),
    "with a mask with holes": encodeSequence([subtrees(0, ip("0a000000ff00ff00"))]),
    "with two at signs": encodeSequence([subtrees(0, email("a@b@c"))]),
    "with a minimum distance": encodeSequence([
      encodeTlv(contextConstructed(0), [
        encodeSequence([dns("a"), encodeTlv(contextPrimitive(0), [Uint8Array.of(1)])]),
      ]),
    ]),
    "with too many subtrees": encodeSequence([subtrees(0, ...Array<Uint8Array>(1025).fill(dns("a")))]),
    "with something else inside": encodeSequence([encodeUnsigned(Uint8Array.of(1))]),
  };
  for (const [sentence, der] of Object.entries(refused)) {
    it(`are refused ${sentence}`, () => expect(() => parseNameConstraints(der)).toThrow());
  }
});
