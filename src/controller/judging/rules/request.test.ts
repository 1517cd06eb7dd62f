import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  aCsr,
  type CsrModifier,
  forNode,
  withExpiration,
  withExtension,
  withKey,
  withSan,
  withSigner,
  withSubject,
  withUsages,
  withWrongSignature,
  wrapped,
} from "../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../test/builders/csr-facts.ts";
import { CN, O, OU, rawName } from "../../../../test/builders/raw-name.ts";
import { INSECURE_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../../api/certificates/index.ts";
import { OID_PROVIDER_ID } from "../../../attestation/evidence/index.ts";
import { encodeUtf8, parseBase64, parseUtf8 } from "../../../kernel/bytes/index.ts";
import { encodePem } from "../../../kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  extKeyUsageExtension,
  keyUsageExtension,
} from "../../../kernel/x509/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey } from "../../../platform/keys/index.ts";
import {
  keyIsStrongEnough,
  lifetimeIsAllowed,
  namesAreDnsOrIp,
  nodeNameIsValid,
  noForeignExtensions,
  noNamesBesideTheSubject,
  requestParsesAndIsSigned,
  requestStandsAlone,
  subjectHasNothingElse,
  subjectIsANode,
  usagesAreClientOnly,
  usagesAreServingOnly,
  usagesFitAClient,
} from "./request.ts";

describe("key-is-strong-enough", () => {
  function rsa(modulusLength: number): PrivateKey {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength });
    return parsePrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  }

  function p521(): PrivateKey {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-521" });
    return parsePrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  }

  const ALLOWED: Record<string, () => PrivateKey> = {
    "P-256": () => generatePrivateKey("P-256"),
    "P-384": () => generatePrivateKey("P-384"),
    "P-521": p521,
    Ed25519: () => generatePrivateKey("Ed25519"),
    "RSA of 2048 bits": () => generatePrivateKey("RSA-2048"),
  };

  it.each(Object.entries(ALLOWED))("passes %s", (name, make) => {
    expect(keyIsStrongEnough.judge(factsOf(aCsr(withKey(make()))))).toEqual({ kind: "Pass", note: name });
  });

  it("refuses RSA of 1024 bits", () => {
    expect(keyIsStrongEnough.judge(factsOf(aCsr(withKey(rsa(1024)))))).toMatchObject({
      kind: "Deny",
      reason: "KeyIsTooWeak",
    });
  });
});

describe("lifetime-is-allowed", () => {
  const policy = aPolicy({ client: { maxExpirationSeconds: 3_600 }, serving: { maxExpirationSeconds: 7_200 } });

  it("passes a request without a wish, one at the bound, and any without a policy", () => {
    expect(lifetimeIsAllowed.judge(factsOf(aCsr(), { policy }))).toEqual({ kind: "Pass" });
    expect(lifetimeIsAllowed.judge(factsOf(aCsr(withExpiration(3_600)), { policy }))).toEqual({ kind: "Pass" });
    expect(lifetimeIsAllowed.judge(factsOf(aCsr(withExpiration(1e9))))).toEqual({ kind: "Pass" });
  });

  it("refuses one second more", () => {
    const finding = lifetimeIsAllowed.judge(factsOf(aCsr(withExpiration(3_601)), { policy }));
    expect(finding).toMatchObject({ kind: "Deny", reason: "LifetimeIsTooLong" });
  });

  it("holds a serving request to the bound of serving requests", () => {
    const serving = (seconds: number) =>
      factsOf(aCsr(withSigner(KUBELET_SERVING_SIGNER), withExpiration(seconds)), { policy });
    expect(lifetimeIsAllowed.judge(serving(7_200))).toEqual({ kind: "Pass" });
    expect(lifetimeIsAllowed.judge(serving(7_201))).toMatchObject({ kind: "Deny" });
  });
});

describe("names-are-dns-or-ip", () => {
  const ALLOWED: Record<string, CsrModifier> = {
    "a DNS name": withSan({ dnsNames: ["worker-3"] }),
    "an address": withSan({ ipAddresses: ["10.0.0.3"] }),
    both: withSan({ dnsNames: ["worker-3"], ipAddresses: ["10.0.0.3", "fd00::3"] }),
  };

  const REFUSED: Record<string, [CsrModifier[], string]> = {
    "no name at all, which machine-approver lets pass": [[], "NamesAreMissing"],
    "a mail address alone": [[withSan({ emails: ["root@example.com"] })], "NamesAreMissing"],
    "a mail address beside a name": [
      [withSan({ dnsNames: ["a"], emails: ["root@example.com"] })],
      "NamesAreOfAnotherKind",
    ],
    "a URI beside an address": [[withSan({ ipAddresses: ["10.0.0.3"], uris: ["https://a"] })], "NamesAreOfAnotherKind"],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(namesAreDnsOrIp.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifiers, reason]) => {
    expect(namesAreDnsOrIp.judge(factsOf(aCsr(...modifiers)))).toMatchObject({ kind: "Deny", reason });
  });
});

describe("no-foreign-extensions", () => {
  const providerId = withExtension({
    oid: OID_PROVIDER_ID,
    critical: false,
    value: encodeUtf8("\x0c\x16aws:///eu-1a/i-01234ab"),
  });
  const nobodyParses = withExtension({
    oid: "2.5.29.17",
    critical: false,
    value: Uint8Array.of(0x30, 0x05, 0x88, 0x03, 0x2a, 0x03, 0x04),
  });

  const ALLOWED: Record<string, CsrModifier[]> = {
    "a kubelet's request": [],
    "what openssl adds for a client": [
      withExtension(basicConstraintsExtension({ ca: false })),
      withExtension(keyUsageExtension(["digitalSignature", "keyEncipherment"])),
      withExtension(extKeyUsageExtension([EKU_CLIENT_AUTH])),
    ],
    "what a serving request asks for": [
      withSigner(KUBELET_SERVING_SIGNER),
      withSan({ dnsNames: ["worker-3"] }),
      withExtension(extKeyUsageExtension([EKU_SERVER_AUTH])),
    ],
    "a provider ID under our own signer": [withSigner(INSECURE_CLIENT_SIGNER), providerId],
  };

  const REFUSED: Record<string, [CsrModifier, string]> = {
    "a name of a kind that nobody parses": [nobodyParses, "ForeignExtensionRequested"],
    "a CA": [withExtension(basicConstraintsExtension({ ca: true })), "ForeignExtensionRequested"],
    "the right to sign certificates": [
      withExtension(keyUsageExtension(["digitalSignature", "keyCertSign"])),
      "ForeignExtensionRequested",
    ],
    "a server under a client's signer": [
      withExtension(extKeyUsageExtension([EKU_SERVER_AUTH])),
      "ForeignExtensionRequested",
    ],
    "an extension that nobody knows": [
      withExtension({ oid: "1.2.3.4", critical: false, value: Uint8Array.of(5, 0) }),
      "ForeignExtensionRequested",
    ],
    "a provider ID under a built-in signer": [providerId, "ForeignExtensionRequested"],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, modifiers) => {
    expect(noForeignExtensions.judge(factsOf(aCsr(...modifiers)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(noForeignExtensions.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });
});

describe("no-names-beside-the-subject", () => {
  const REFUSED: Record<string, CsrModifier> = {
    "a DNS name": withSan({ dnsNames: ["worker-3"] }),
    "an address": withSan({ ipAddresses: ["10.0.0.1"] }),
    "a URI": withSan({ uris: ["spiffe://cluster/admin"] }),
    "a mail address": withSan({ emails: ["root@example.com"] }),
  };

  it("passes a kubelet's request", () => {
    expect(noNamesBesideTheSubject.judge(factsOf(aCsr()))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, modifier) => {
    const finding = noNamesBesideTheSubject.judge(factsOf(aCsr(modifier)));
    expect(finding).toMatchObject({ kind: "Deny", reason: "AlternativeNamesRequested" });
  });
});

describe("node-name-is-valid", () => {
  const ALLOWED = ["a", "10", "worker-3", "ip-10-0-0-1.eu-1.compute.internal", "a".repeat(63)];
  const REFUSED: Record<string, string> = {
    "an empty name": "",
    "upper case": "Worker-3",
    "a space at the end": "worker-3 ",
    "a line break at the end": "worker-3\n",
    "a NUL in the middle": "worker\u0000-3",
    "a path": "../worker-3",
    "a homograph": "w\u043erker-3",
    "254 characters": "a".repeat(254),
  };

  it.each(ALLOWED)("passes %s", (name) => {
    expect(nodeNameIsValid.judge(factsOf(aCsr(forNode(name))))).toEqual({ kind: "Pass", note: name });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, name) => {
    expect(nodeNameIsValid.judge(factsOf(aCsr(forNode(name))))).toMatchObject({
      kind: "Deny",
      reason: "NodeNameIsInvalid",
    });
  });
});

describe("request-parses-and-is-signed", () => {
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

describe("request-stands-alone", () => {
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

  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(requestStandsAlone.judge(factsOf(aCsr(modifier)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(requestStandsAlone.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });
});

describe("subject-has-nothing-else", () => {
  const ALLOWED: Record<string, CsrModifier> = {
    "one organization and one common name": forNode("worker-3"),
    "in the other order": rawName([CN, "system:node:worker-3"], [O, "system:nodes"]),
  };

  const REFUSED: Record<string, CsrModifier> = {
    "a second common name, of which the last counts": rawName(
      [O, "system:nodes"],
      [CN, "system:node:a"],
      [CN, "system:node:b"],
    ),
    "an organizational unit": rawName([O, "system:nodes"], [OU, "x"], [CN, "system:node:a"]),
    "the user id that an API server reads": rawName(
      [O, "system:nodes"],
      ["1.3.6.1.4.1.57683.2", "0"],
      [CN, "system:node:a"],
    ),
    "no common name": rawName([O, "system:nodes"], [OU, "x"]),
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(subjectHasNothingElse.judge(factsOf(aCsr(modifier)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, modifier) => {
    expect(subjectHasNothingElse.judge(factsOf(aCsr(modifier)))).toMatchObject({
      kind: "Deny",
      reason: "SubjectHasForeignAttributes",
    });
  });
});

describe("subject-is-a-node", () => {
  const ALLOWED: Record<string, CsrModifier> = {
    "a node": forNode("worker-3"),
    "an empty node name, which another rule refuses": forNode(""),
    "the common name before the organization": rawName([CN, "system:node:worker-3"], [O, "system:nodes"]),
    "two common names, of which the last counts": rawName([O, "system:nodes"], [CN, "x"], [CN, "system:node:b"]),
  };

  const REFUSED: Record<string, [CsrModifier, string]> = {
    "a group of administrators": [
      withSubject({ commonName: "system:node:a", organizations: ["system:masters"] }),
      "OrganizationIsNotSystemNodes",
    ],
    "a group of administrators beside the nodes": [
      withSubject({ commonName: "system:node:a", organizations: ["system:nodes", "system:masters"] }),
      "OrganizationIsNotSystemNodes",
    ],
    "the nodes' group twice": [
      rawName([O, "system:nodes"], [O, "system:nodes"], [CN, "system:node:a"]),
      "OrganizationIsNotSystemNodes",
    ],
    "no organization": [withSubject({ commonName: "system:node:a" }), "OrganizationIsNotSystemNodes"],
    "no common name": [withSubject({ organizations: ["system:nodes"] }), "CommonNameIsNotANode"],
    "an administrator": [
      withSubject({ commonName: "kubernetes-admin", organizations: ["system:nodes"] }),
      "CommonNameIsNotANode",
    ],
    "two common names, of which the last is nobody's": [
      rawName([O, "system:nodes"], [CN, "system:node:b"], [CN, "x"]),
      "CommonNameIsNotANode",
    ],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(subjectIsANode.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(subjectIsANode.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });
});

describe("usages-are-client-only", () => {
  const ALLOWED: Record<string, string[]> = {
    "a kubelet's usages": ["digital signature", "client auth"],
    "in another order": ["client auth", "digital signature"],
    "with key encipherment": ["digital signature", "key encipherment", "client auth"],
  };

  const REFUSED: Record<string, string[]> = {
    "no usage": [],
    "client auth alone": ["client auth"],
    "a server": ["digital signature", "server auth"],
    "a client that is a server too": ["digital signature", "client auth", "server auth"],
    "key encipherment in the place of the signature": ["key encipherment", "client auth"],
    "a signer of certificates": ["digital signature", "client auth", "cert sign"],
    "one usage twice": ["client auth", "client auth"],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, usages) => {
    expect(usagesAreClientOnly.judge(factsOf(aCsr(withUsages(...usages))))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, usages) => {
    expect(usagesAreClientOnly.judge(factsOf(aCsr(withUsages(...usages))))).toMatchObject({
      kind: "Deny",
      reason: "UsagesAreNotClientOnly",
    });
  });
});

describe("usages-are-serving-only", () => {
  const ALLOWED: Record<string, string[]> = {
    "a kubelet's usages": ["digital signature", "server auth"],
    "with key encipherment, in another order (OCPBUGS-11225)": ["server auth", "key encipherment", "digital signature"],
  };

  const REFUSED: Record<string, string[]> = {
    "no usage": [],
    "a client": ["digital signature", "client auth"],
    "three usages of which one is a client's, which machine-approver lets pass": [
      "digital signature",
      "server auth",
      "client auth",
    ],
    "a signer of certificates": ["digital signature", "server auth", "cert sign"],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, usages) => {
    expect(usagesAreServingOnly.judge(factsOf(aCsr(withUsages(...usages))))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, usages) => {
    expect(usagesAreServingOnly.judge(factsOf(aCsr(withUsages(...usages))))).toMatchObject({
      kind: "Deny",
      reason: "UsagesAreNotServingOnly",
    });
  });
});

describe("usages-fit-a-client", () => {
  it.each([
    [["client auth"]],
    [["client auth", "digital signature"]],
    [["key encipherment", "client auth", "digital signature"]],
  ])("passes %j", (usages) => {
    expect(usagesFitAClient.judge(factsOf(aCsr(withUsages(...usages))))).toEqual({ kind: "Pass" });
  });

  it.each([[["digital signature"]], [["client auth", "server auth"]], [["client auth", "cert sign"]], [[]]])(
    "refuses %j",
    (usages) => {
      const finding = usagesFitAClient.judge(factsOf(aCsr(withUsages(...usages))));
      expect(finding).toMatchObject({ kind: "Deny", reason: "UsagesDoNotFitAClient" });
    },
  );
});
