import { describe, expect, it } from "vitest";
import {
  aLeaf,
  anIntermediate,
  aRoot,
  type CertificateOverrides,
  TEST_NOW_MS,
} from "../../../../test/builders/x509.ts";
import { encodeUtf8, parseHex } from "../../bytes/index.ts";
import {
  contextConstructed,
  contextPrimitive,
  encodeDirectoryString,
  encodeOid,
  encodeSequence,
  encodeSetOf,
  encodeTlv,
} from "../../der/index.ts";
import type { Extension } from "../extensions/extension.ts";
import { subjectAltNameExtension } from "../extensions/subject-alt-names.ts";
import { encodeName } from "../name.ts";
import { OID_EMAIL_ADDRESS, OID_NAME_CONSTRAINTS, OID_SUBJECT_ALT_NAME } from "../oids.ts";
import { validateChain } from "./validate.ts";

const dns = (text: string) => encodeTlv(contextPrimitive(2), [encodeUtf8(text)]);
const email = (text: string) => encodeTlv(contextPrimitive(1), [encodeUtf8(text)]);
const uri = (text: string) => encodeTlv(contextPrimitive(6), [encodeUtf8(text)]);
const ip = (hex: string) => encodeTlv(contextPrimitive(7), [parseHex(hex)]);
const directory = (name: Uint8Array) => encodeTlv(contextConstructed(4), [name]);
const other = encodeTlv(contextConstructed(0), [encodeOid("1.2.3")]);

type Rule = { readonly permitted?: Uint8Array; readonly excluded?: Uint8Array };

function constraints({ permitted, excluded }: Rule): Extension {
  const list = (number: number, base: Uint8Array | undefined) =>
    base === undefined ? [] : [encodeTlv(contextConstructed(number), [encodeSequence([base])])];
  const value = encodeSequence([...list(0, permitted), ...list(1, excluded)]);
  return { oid: OID_NAME_CONSTRAINTS, critical: true, value };
}

function altNames(...names: Uint8Array[]): Extension {
  return { oid: OID_SUBJECT_ALT_NAME, critical: false, value: encodeSequence(names) };
}

function judge(rule: Rule, leaf: CertificateOverrides): string {
  const root = aRoot({ extensions: [constraints(rule)] });
  const { certificate } = aLeaf(root, leaf);
  const result = validateChain({ leaf: certificate, intermediates: [], roots: [root.certificate], nowMs: TEST_NOW_MS });
  return result.ok ? "accepted" : result.reason;
}

const nodes = encodeName({ organizations: ["system:nodes"] });
const node = { commonName: "system:node:a", organizations: ["system:nodes"] };

describe("name constraints", () => {
  const table: readonly (readonly [kind: string, name: Uint8Array, rule: Rule, expected: boolean])[] = [
    ["dns", dns("a.example"), { permitted: dns("example") }, true],
    ["dns", dns("EXAMPLE"), { permitted: dns("example") }, true],
    ["dns", dns("badexample"), { permitted: dns("example") }, false],
    ["dns", dns("*.example"), { permitted: dns("example") }, true],
    ["dns", dns("*.example"), { permitted: dns("a.example") }, false],
    ["dns", dns("*.example"), { excluded: dns("a.example") }, false],
    ["dns", dns("*.example"), { excluded: dns("b.a.example") }, true],
    ["dns", dns("a.example"), { excluded: dns("") }, false],
    ["dns", dns("a_b.example"), { permitted: dns("example") }, false],
    ["dns", dns("a.example"), { permitted: dns("example"), excluded: dns("a.example") }, false],
    ["ip", ip("0a010203"), { permitted: ip("0a000000ff000000") }, true],
    ["ip", ip("0b010203"), { permitted: ip("0a000000ff000000") }, false],
    ["ip", ip("0a010203"), { excluded: ip("0a010000ffff0000") }, false],
    ["ip", ip("00000000000000000000ffff0a010203"), { permitted: ip("0a000000ff000000") }, false],
    ["email", email("a@example"), { permitted: email("example") }, true],
    ["email", email("a@b.example"), { permitted: email("example") }, false],
    ["email", email("a@b.example"), { permitted: email(".example") }, true],
    ["email", email("a@EXAMPLE"), { permitted: email("a@example") }, true],
    ["email", email("A@example"), { permitted: email("a@example") }, false],
    ["email", email("a@b@example"), { excluded: email("other") }, false],
    ["uri", uri("spiffe://cluster.example/node"), { permitted: uri("cluster.example") }, true],
    ["uri", uri("https://u@a.example:1/x"), { permitted: uri(".example") }, true],
    ["uri", uri("https://a.example/"), { excluded: uri("a.example") }, false],
    ["uri", uri("https://10.0.0.1/"), { excluded: uri("a.example") }, false],
    ["uri", uri("https://[2001:db8::1]/"), { excluded: uri("a.example") }, false],
    ["uri", uri("urn:a"), { excluded: uri("a.example") }, false],
    ["uri", uri("https://evil.example\\@a.example/"), { permitted: uri("a.example") }, false],
    ["directory", directory(encodeName(node)), { permitted: directory(nodes) }, true],
    ["other", other, { excluded: other }, false],
    ["other", other, { excluded: dns("example") }, true],
    ["dns", dns("a.example"), { permitted: email("example") }, true],
  ];
  for (const [index, [kind, name, rule, expected]] of table.entries()) {
    it(`row ${index}: ${expected ? "allow" : "refuse"} a name of kind ${kind}`, () => {
      expect(judge(rule, { subject: node, extensions: [altNames(name)] })).toBe(
        expected ? "accepted" : "NameNotPermitted",
      );
    });
  }

  it("hold the subject to directory names", () => {
    expect(judge({ permitted: directory(nodes) }, { subject: node })).toBe("accepted");
    expect(judge({ permitted: directory(nodes) }, { subject: { commonName: "admin" } })).toBe("NameNotPermitted");
    expect(judge({ excluded: directory(nodes) }, { subject: node })).toBe("NameNotPermitted");
    expect(judge({ excluded: directory(nodes) }, { subject: { commonName: "admin" } })).toBe("accepted");
    const disguised = { commonName: "n1", organizations: ["SYSTEM:Nodes "] };
    expect(judge({ excluded: directory(nodes) }, { subject: disguised })).toBe("NameNotPermitted");
  });

  it("hold an e-mail address in the subject where there is no alternative name", () => {
    const attribute = encodeSequence([encodeOid(OID_EMAIL_ADDRESS), encodeDirectoryString("eve@evil")]);
    const subject = encodeSequence([encodeSetOf([attribute])]);
    expect(judge({ permitted: email("example") }, { subject })).toBe("NameNotPermitted");
    expect(judge({ permitted: email("evil") }, { subject })).toBe("accepted");
  });

  it("are not widened by an intermediate", () => {
    const root = aRoot({ extensions: [constraints({ permitted: dns("a.example") })] });
    const middle = anIntermediate(root, { extensions: [constraints({ permitted: dns("example") })] });
    const { certificate: leaf } = aLeaf(middle, { extensions: [subjectAltNameExtension({ dnsNames: ["b.example"] })] });
    const path = { intermediates: [middle.certificate], roots: [root.certificate], nowMs: TEST_NOW_MS };
    expect(validateChain({ leaf, ...path })).toMatchObject({ ok: false, reason: "NameNotPermitted" });
  });

  it("are not followed without end", () => {
    const bases = Array.from({ length: 1000 }, (_, i) => encodeSequence([dns(`n${i}.example`)]));
    const value = encodeSequence([encodeTlv(contextConstructed(1), bases)]);
    const root = aRoot({ extensions: [{ oid: OID_NAME_CONSTRAINTS, critical: true, value }] });
    const dnsNames = Array.from({ length: 300 }, (_, i) => `m${i}.example`);
    const { certificate: leaf } = aLeaf(root, { extensions: [subjectAltNameExtension({ dnsNames })] });
    const result = validateChain({ leaf, intermediates: [], roots: [root.certificate], nowMs: TEST_NOW_MS });
    expect(result).toMatchObject({ ok: false, reason: "LimitExceeded" });
  });
});
