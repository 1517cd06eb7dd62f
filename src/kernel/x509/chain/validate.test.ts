import { describe, expect, it } from "vitest";
import {
  aLeaf,
  anIntermediate,
  aRoot,
  type CertificateOverrides,
  type Holder,
  TEST_NOW_MS,
} from "../../../../test/builders/x509.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import { encodeHex, parseHex } from "../../bytes/index.ts";
import { encodeSequence, encodeUnsigned } from "../../der/index.ts";
import { parseCertificate } from "../certificate.ts";
import { basicConstraintsExtension } from "../extensions/basic-constraints.ts";
import { authorityKeyIdExtension } from "../extensions/key-ids.ts";
import { extKeyUsageExtension, keyUsageExtension } from "../extensions/key-usage.ts";
import { subjectAltNameExtension } from "../extensions/subject-alt-names.ts";
import {
  EKU_ANY,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  OID_AUTHORITY_KEY_ID,
  OID_BASIC_CONSTRAINTS,
  OID_KEY_USAGE,
  OID_POLICY_CONSTRAINTS,
  OID_SUBJECT_KEY_ID,
} from "../oids.ts";
import { type ChainInput, type ChainResult, validateChain } from "./validate.ts";

const root = aRoot();
const intermediate = anIntermediate(root);
const leaf = aLeaf(intermediate, {
  extensions: [subjectAltNameExtension({ dnsNames: ["a.example"], ipAddresses: ["10.0.0.1"] })],
});

function judge(holder: Holder, overrides: Partial<ChainInput> = {}): ChainResult {
  return validateChain({
    leaf: holder.certificate,
    intermediates: [intermediate.certificate],
    roots: [root.certificate],
    nowMs: TEST_NOW_MS,
    ...overrides,
  });
}
const said = (result: ChainResult) => (result.ok ? "accepted" : result.reason);

/** The same path with one certificate made otherwise. */
function pathWith(part: {
  root?: CertificateOverrides;
  intermediate?: CertificateOverrides;
  leaf?: CertificateOverrides;
}): ChainResult {
  const top = aRoot(part.root);
  const middle = anIntermediate(top, part.intermediate);
  const roots = [top.certificate];
  return judge(aLeaf(middle, part.leaf), { intermediates: [middle.certificate], roots });
}

describe("validateChain accepts", () => {
  it("a leaf through an intermediate to a root, and names the path", () => {
    const result = judge(leaf);
    expect(result.ok && result.chain).toEqual([leaf.certificate, intermediate.certificate, root.certificate]);
  });

  it("a leaf that the root signed itself", () => {
    const result = judge(aLeaf(root), { intermediates: [] });
    expect(result.ok && result.chain).toHaveLength(2);
  });

  it("a leaf that is itself among the roots", () => {
    const own = aRoot({ extensions: [subjectAltNameExtension({ dnsNames: ["self.example"] })] });
    expect(judge(own, { roots: [own.certificate], dnsName: "self.example" })).toEqual({
      ok: true,
      chain: [own.certificate],
    });
  });

  it("the right one of several roots of the same name", () => {
    const others = [aRoot(), aRoot({ without: [OID_SUBJECT_KEY_ID] })].map(({ certificate }) => certificate);
    expect(said(judge(leaf, { roots: [...others, root.certificate] }))).toBe("accepted");
  });

  it("a root whose key identifier is not the one its children name: the signature decides", () => {
    expect(said(pathWith({ intermediate: { extensions: [authorityKeyIdExtension(Uint8Array.of(1, 2))] } }))).toBe(
      "accepted",
    );
  });

  it("a root with non-critical basic constraints, as easy-rsa makes them", () => {
    const lax = { ...basicConstraintsExtension({ ca: true }), critical: false };
    expect(said(pathWith({ root: { extensions: [lax] } }))).toBe("accepted");
  });

  it("a root with serial number zero, as kubeadm made them", () => {
    const serialNumber = encodeUnsigned(root.certificate.serialNumber);
    const raw = encodeHex(root.certificate.raw).replace(encodeHex(serialNumber), "020100");
    const zero = parseCertificate(parseHex(raw));
    expect(zero.serialNumber).toEqual(Uint8Array.of(0));
    expect(said(judge(leaf, { roots: [zero] }))).toBe("accepted");
  });

  it("host, address and usage that the leaf has", () => {
    expect(said(judge(leaf, { dnsName: "a.example", ipAddress: "10.0.0.1", usage: EKU_CLIENT_AUTH }))).toBe("accepted");
    for (const purpose of [EKU_CLIENT_AUTH, EKU_ANY]) {
      const holder = aLeaf(intermediate, { extensions: [extKeyUsageExtension([EKU_SERVER_AUTH, purpose])] });
      expect(said(judge(holder, { usage: EKU_CLIENT_AUTH }))).toBe("accepted");
    }
  });

  it("a client certificate that names no key of its issuer, as openssl x509 -req makes them", () => {
    const holder = aLeaf(intermediate, { without: [OID_AUTHORITY_KEY_ID] });
    expect(said(judge(holder, { usage: EKU_CLIENT_AUTH }))).toBe("accepted");
  });

  it("the last second of a certificate", () => {
    const holder = aLeaf(intermediate, { notAfterMs: TEST_NOW_MS });
    expect(said(judge(holder, { nowMs: TEST_NOW_MS + 999 }))).toBe("accepted");
    expect(said(judge(holder, { nowMs: TEST_NOW_MS + 1000 }))).toBe("Expired");
  });
});

describe("validateChain refuses", () => {
  const unknown = { oid: "1.3.6.1.4.1.55738.1", critical: true, value: encodeSequence([]) };
  const noUsage = { without: [OID_KEY_USAGE] };
  const cases: Readonly<Record<string, readonly [reason: string, run: () => ChainResult]>> = {
    "a serving certificate that names no key of its issuer": [
      "ProfileViolated",
      () => judge(aLeaf(intermediate, { without: [OID_AUTHORITY_KEY_ID] })),
    ],
    "an intermediate that names no key of its issuer": [
      "ProfileViolated",
      () => pathWith({ intermediate: { without: [OID_AUTHORITY_KEY_ID] } }),
    ],
    "an intermediate without a key identifier": [
      "ProfileViolated",
      () => pathWith({ intermediate: { without: [OID_SUBJECT_KEY_ID] } }),
    ],
    "a leaf of an unknown issuer": ["UntrustedIssuer", () => judge(aLeaf(aRoot({ subject: { commonName: "x" } })))],
    "a leaf that only bears the issuer's name": ["UntrustedIssuer", () => judge(aLeaf(aRoot()))],
    "an intermediate that is missing": ["UntrustedIssuer", () => judge(leaf, { intermediates: [] })],
    "a self-signed certificate nobody trusts": [
      "UntrustedIssuer",
      () => judge(aRoot({ subject: { commonName: "me" } })),
    ],
    "everything where there are no roots": ["UntrustedIssuer", () => judge(leaf, { roots: [] })],
    "a leaf before its time": ["NotYetValid", () => pathWith({ leaf: { notBeforeMs: TEST_NOW_MS + 1000 } })],
    "an expired leaf": ["Expired", () => pathWith({ leaf: { notAfterMs: TEST_NOW_MS - 1000 } })],
    "an expired intermediate": ["Expired", () => pathWith({ intermediate: { notAfterMs: TEST_NOW_MS - 1000 } })],
    "an expired root": ["Expired", () => pathWith({ root: { notAfterMs: TEST_NOW_MS - 1000 } })],
    "another host": ["NameMismatch", () => judge(leaf, { dnsName: "b.example" })],
    "another address": ["NameMismatch", () => judge(leaf, { ipAddress: "10.0.0.2" })],
    "a host that is only the common name": ["NameMismatch", () => judge(leaf, { dnsName: "test-leaf" })],
    "a usage the leaf does not list": [
      "UsageNotAllowed",
      () =>
        judge(aLeaf(intermediate, { extensions: [extKeyUsageExtension([EKU_SERVER_AUTH])] }), {
          usage: EKU_CLIENT_AUTH,
        }),
    ],
    "a usage an intermediate does not hand on": [
      "UsageNotAllowed",
      () => {
        const narrow = anIntermediate(root, { extensions: [extKeyUsageExtension([EKU_SERVER_AUTH])] });
        return judge(aLeaf(narrow), { intermediates: [narrow.certificate], usage: EKU_CLIENT_AUTH });
      },
    ],
    "an intermediate that is no CA": [
      "IssuerIsNotCa",
      () => pathWith({ intermediate: { extensions: [basicConstraintsExtension({ ca: false })], ...noUsage } }),
    ],
    "an intermediate without basic constraints": [
      "IssuerIsNotCa",
      () => pathWith({ intermediate: { without: [OID_BASIC_CONSTRAINTS, OID_KEY_USAGE] } }),
    ],
    "a root without basic constraints": [
      "IssuerIsNotCa",
      () => pathWith({ root: { without: [OID_BASIC_CONSTRAINTS, OID_KEY_USAGE] } }),
    ],
    "an intermediate whose key may not sign certificates": [
      "ProfileViolated",
      () => pathWith({ intermediate: { extensions: [keyUsageExtension(["digitalSignature"])] } }),
    ],
    "an intermediate with non-critical basic constraints": [
      "ProfileViolated",
      () =>
        pathWith({ intermediate: { extensions: [{ ...basicConstraintsExtension({ ca: true }), critical: false }] } }),
    ],
    "a leaf that may sign certificates and is no CA": [
      "ProfileViolated",
      () => pathWith({ leaf: { extensions: [keyUsageExtension(["keyCertSign"])] } }),
    ],
    "a path longer than the root allows": [
      "PathTooLong",
      () => pathWith({ root: { extensions: [basicConstraintsExtension({ ca: true, pathLength: 0 })] } }),
    ],
    "a path longer than the caller allows": ["PathTooLong", () => judge(leaf, { maxIntermediates: 0 })],
    "an unknown critical extension of the leaf": [
      "UnknownCriticalExtension",
      () => pathWith({ leaf: { extensions: [unknown] } }),
    ],
    "an unknown critical extension of an intermediate": [
      "UnknownCriticalExtension",
      () => pathWith({ intermediate: { extensions: [unknown] } }),
    ],
    "an unknown critical extension of the root": [
      "UnknownCriticalExtension",
      () => pathWith({ root: { extensions: [unknown] } }),
    ],
    "critical policy constraints, which are not applied": [
      "UnknownCriticalExtension",
      () => pathWith({ intermediate: { extensions: [{ ...unknown, oid: OID_POLICY_CONSTRAINTS }] } }),
    ],
    "a critical key identifier": [
      "ProfileViolated",
      () => pathWith({ leaf: { extensions: [{ ...authorityKeyIdExtension(Uint8Array.of(1)), critical: true }] } }),
    ],
    "an empty subject without a critical alternative name": [
      "ProfileViolated",
      () => pathWith({ leaf: { subject: {}, extensions: [subjectAltNameExtension({ dnsNames: ["a"] })] } }),
    ],
    "a CA without a subject": ["ProfileViolated", () => pathWith({ intermediate: { subject: {} } })],
  };
  for (const [sentence, [reason, run]] of Object.entries(cases)) {
    it(sentence, () => expect(said(run())).toBe(reason));
  }

  it("with a message that quotes the common name and cuts it", () => {
    const holder = aLeaf(aRoot(), { subject: { commonName: `forged\n${"x".repeat(200)}` } });
    const result = judge(holder);
    expect(result.ok ? "" : result.message).toMatch(/^no trusted issuer signed certificate "forged\\nx{73}"$/);
  });
});

describe("validateChain with many paths", () => {
  it("goes around a cycle of cross-signed CAs", () => {
    const [keyA, keyB] = [generatePrivateKey("P-256"), generatePrivateKey("P-256")];
    const rootA = aRoot({ subject: { commonName: "A" }, key: keyA });
    const rootB = aRoot({ subject: { commonName: "B" }, key: keyB });
    const crossA = anIntermediate(rootB, { subject: { commonName: "A" }, key: keyA });
    const crossB = anIntermediate(rootA, { subject: { commonName: "B" }, key: keyB });
    const holder = aLeaf(crossA);
    const intermediates = [crossA.certificate, crossB.certificate];
    expect(said(judge(holder, { intermediates, roots: [rootB.certificate] }))).toBe("accepted");
    expect(said(judge(holder, { intermediates, roots: [root.certificate] }))).toBe("UntrustedIssuer");
  });

  it("takes another path where the first is expired", () => {
    const key = generatePrivateKey("P-256");
    const expired = anIntermediate(root, { key, notAfterMs: TEST_NOW_MS - 1000 });
    const renewed = anIntermediate(root, { key });
    const intermediates = [expired.certificate, renewed.certificate];
    expect(said(judge(aLeaf(expired), { intermediates }))).toBe("accepted");
  });

  it("gives up on a maze instead of walking it", () => {
    const subject = { commonName: "maze" };
    const keys = Array.from({ length: 12 }, () => generatePrivateKey("P-256"));
    const holders = keys.map((key) => aRoot({ subject, key }));
    const maze = holders.flatMap((issuer) => keys.map((key) => anIntermediate(issuer, { subject, key }).certificate));
    const [entrance = root] = holders;
    expect(said(judge(aLeaf(entrance), { intermediates: maze }))).toBe("LimitExceeded");
  });
});
