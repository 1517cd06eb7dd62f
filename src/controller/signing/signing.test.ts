// Template, signature and check together, on the bytes that leave; and the check on its own, against bytes that must
// not.

import { describe, expect, it } from "vitest";
import {
  aCsr,
  approved,
  type CsrModifier,
  withExpiration,
  withExtension,
  withKey,
  withSan,
  withSigner,
  withUsages,
} from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { START_MS } from "../../../test/fakes/clock.ts";
import { KUBELET_SERVING_SIGNER } from "../../api/certificates/index.ts";
import { OID_PROVIDER_ID } from "../../attestation/evidence/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import {
  basicConstraintsExtension,
  type Certificate,
  type CertificateRequest,
  type CertificateTemplate,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  extKeyUsageExtension,
  parseCertificate,
  subjectAltNameExtension,
} from "../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { createAuthority } from "./authorities.ts";
import { checkCertificate } from "./check.ts";
import type { SigningFacts } from "./facts.ts";
import { gatherSigning } from "./gather.ts";
import { signTemplate } from "./index.ts";
import { planCertificate } from "./template.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;

const authority = createAuthority(anAuthority());

function factsFor(modifiers: readonly CsrModifier[], changed: Partial<SigningFacts> = {}): SigningFacts {
  const options = {
    clock: { now: () => START_MS + 500, sleep: () => Promise.resolve() },
    randomBytes: (count: number) => new Uint8Array(count).fill(0xff),
    authorities: { of: () => authority },
    servedSigners: [],
    lifetimeMsOf: () => YEAR_MS,
  };
  return { ...gatherSigning(options, aCsr(approved(), ...modifiers), authority), ...changed };
}

function requestOf({ request }: SigningFacts): CertificateRequest {
  if (request.kind !== "Readable") throw new TypeError("the builder made an unreadable request");
  return request.request;
}

function issue(facts: SigningFacts, spoil: (template: CertificateTemplate) => CertificateTemplate = (same) => same) {
  const request = requestOf(facts);
  const der = signTemplate(spoil(planCertificate(facts, request)), authority);
  return { certificate: parseCertificate(der), broken: checkCertificate(parseCertificate(der), request, facts) };
}

describe("an issued certificate", () => {
  const facts = factsFor([]);
  const { certificate, broken } = issue(facts);

  it("passes the check", () => expect(broken).toEqual([]));

  it("has the subject and the key of the request, the issuer and key id of the CA", () => {
    const request = requestOf(facts);
    expect(certificate.subject.commonName).toBe("system:node:worker-3");
    expect(certificate.subject.organizations).toEqual(["system:nodes"]);
    expect(encodeHex(certificate.publicKey.spki)).toBe(encodeHex(request.publicKey.spki));
    expect(encodeHex(certificate.issuer.raw)).toBe(encodeHex(authority.certificate.subject.raw));
    expect(certificate.authorityKeyId).toEqual(authority.certificate.subjectKeyId);
  });

  it("has critical key usage and basic constraints, client auth, no key id of its own, and nothing else", () => {
    expect(certificate.extensions.map(({ oid, critical }) => [oid, critical])).toEqual([
      ["2.5.29.15", true],
      ["2.5.29.37", false],
      ["2.5.29.19", true],
      ["2.5.29.35", false],
    ]);
    expect(certificate.keyUsage).toEqual(["digitalSignature"]);
    expect(certificate.extKeyUsage).toEqual([EKU_CLIENT_AUTH]);
    expect(certificate.basicConstraints?.ca).toBe(false);
  });

  it("has a positive serial number of 128 bits", () => {
    expect(encodeHex(certificate.serialNumber).replace(/^00/, "")).toBe("ff".repeat(16));
  });

  it("takes key encipherment over where it was asked for", () => {
    const usages = withUsages("digital signature", "key encipherment", "client auth");
    const issued = issue(factsFor([usages, withKey(generatePrivateKey("RSA-2048"))]));
    expect(issued.broken).toEqual([]);
    expect(issued.certificate.keyUsage).toEqual(["digitalSignature", "keyEncipherment"]);
  });

  it("drops the provider ID that was asked for", () => {
    const providerId = withExtension({ oid: OID_PROVIDER_ID, critical: false, value: Uint8Array.of(12, 1, 65) });
    const issued = issue(factsFor([withSigner("cluster.x-k8s.io/x"), providerId]));
    expect(issued.broken).toEqual([]);
    expect(issued.certificate.extensions.map(({ oid }) => oid)).not.toContain(OID_PROVIDER_ID);
  });

  it("has no authority key id when the CA has no key id", () => {
    const bare = createAuthority(anAuthority({ withKeyId: false }));
    const bareFacts = factsFor([], { ca: bare.certificate });
    const der = signTemplate(planCertificate(bareFacts, requestOf(bareFacts)), bare);
    expect(parseCertificate(der).authorityKeyId).toBeUndefined();
    expect(checkCertificate(parseCertificate(der), requestOf(bareFacts), bareFacts)).toEqual([]);
  });
});

describe("a serving certificate", () => {
  const names = { dnsNames: ["worker-3", "worker-3.example"], ipAddresses: ["10.0.0.3", "fd00::3"] };
  const serving = [withSigner(KUBELET_SERVING_SIGNER), withUsages("digital signature", "server auth"), withSan(names)];

  it("has the names of the request, after everything else, and is for servers only", () => {
    const { certificate, broken } = issue(factsFor(serving));
    expect(broken).toEqual([]);
    expect(certificate.subjectAltNames).toMatchObject(names);
    expect(certificate.extensions.at(-1)).toMatchObject({ oid: "2.5.29.17", critical: false });
    expect(certificate.extKeyUsage).toEqual([EKU_SERVER_AUTH]);
  });

  it("does not pass the check with a name more", () => {
    const { broken } = issue(factsFor(serving), (template) => ({
      ...template,
      extensions: template.extensions.map((extension) =>
        extension.oid === "2.5.29.17" ? subjectAltNameExtension({ dnsNames: ["other"] }) : extension,
      ),
    }));
    expect(broken).toEqual(["its alternative names are those of the request"]);
  });
});

describe("the validity", () => {
  const spanOf = ({ notBeforeMs, notAfterMs }: Certificate) => [notBeforeMs - START_MS, notAfterMs - START_MS];

  it.each<[string, CsrModifier[], Partial<SigningFacts>, number]>([
    ["a year, from which the backdating is taken", [], {}, YEAR_MS - 5 * MINUTE_MS],
    ["less than eight hours, in full", [withExpiration(3_600)], {}, HOUR_MS],
    ["eight hours, less the backdating", [withExpiration(28_800)], {}, 8 * HOUR_MS - 5 * MINUTE_MS],
    ["no more than the signer gives", [withExpiration(100_000)], { lifetimeMs: HOUR_MS }, HOUR_MS],
    ["ten minutes at least", [withExpiration(60)], {}, 10 * MINUTE_MS],
  ])("is %s", (_, modifiers, changed, lifeMs) => {
    const { certificate, broken } = issue(factsFor(modifiers, changed));
    expect(spanOf(certificate)).toEqual([-5 * MINUTE_MS, lifeMs]);
    expect(broken).toEqual([]);
  });

  it("ends with the CA's", () => {
    const short = createAuthority(anAuthority({ notAfterMs: START_MS + HOUR_MS }));
    const facts = factsFor([], { ca: short.certificate });
    expect(planCertificate(facts, requestOf(facts)).notAfterMs).toBe(START_MS + HOUR_MS);
  });

  it("is not there at all when the CA has expired", () => {
    const over = createAuthority(anAuthority({ notAfterMs: START_MS }));
    const facts = factsFor([], { ca: over.certificate });
    expect(() => planCertificate(facts, requestOf(facts))).toThrow(/CA certificate expired/);
  });
});

describe("the check", () => {
  const spoilers: Record<string, (template: CertificateTemplate) => Partial<CertificateTemplate>> = {
    "the key is the one in the request": () => ({ publicKey: generatePrivateKey("P-256").signer.publicKey }),
    "the subject is the one in the request": () => ({
      subject: { commonName: "system:node:worker-4", organizations: ["system:nodes"] },
    }),
    "a node's subject is a node and nothing else": () => ({
      subject: { commonName: "system:node:worker-3", organizations: ["system:masters"] },
    }),
    "the issuer is the CA": ({ publicKey }) => ({ issuer: Uint8Array.of(0x30, 0), publicKey }),
    "it is valid now": () => ({ notBeforeMs: START_MS + HOUR_MS }),
    "it does not outlive the CA": () => ({ notAfterMs: authority.certificate.notAfterMs + 1_000 }),
    "it lives no longer than allowed and asked for": () => ({ notAfterMs: START_MS + YEAR_MS + HOUR_MS }),
    "it is no CA": ({ extensions }) => ({
      extensions: extensions.map((extension) =>
        extension.oid === "2.5.29.19" ? basicConstraintsExtension({ ca: true }) : extension,
      ),
    }),
    "it is for what its signer is for": ({ extensions }) => ({
      extensions: extensions.map((extension) =>
        extension.oid === "2.5.29.37" ? extKeyUsageExtension([EKU_CLIENT_AUTH, EKU_SERVER_AUTH]) : extension,
      ),
    }),
    "its key usages are those of the request": ({ extensions }) => ({
      extensions: extensions.filter(({ oid }) => oid !== "2.5.29.15"),
    }),
    "its alternative names are those of the request": ({ extensions }) => ({
      extensions: [...extensions, subjectAltNameExtension({ dnsNames: ["x"] })],
    }),
    "it has known extensions only, critical where they must be": ({ extensions }) => ({
      extensions: extensions.map((extension) => ({ ...extension, critical: false })),
    }),
    "it names the CA's key": ({ extensions }) => ({
      extensions: extensions.filter(({ oid }) => oid !== "2.5.29.35"),
    }),
  };

  it.each(Object.entries(spoilers))("notices when it does not hold that %s", (sentence, spoil) => {
    const { broken } = issue(factsFor([]), (template) => ({ ...template, ...spoil(template) }));
    expect(broken).toContain(sentence);
  });

  it("notices another CA's signature under our CA's name", () => {
    const facts = factsFor([]);
    const impostor = createAuthority(anAuthority());
    const der = signTemplate(planCertificate(facts, requestOf(facts)), impostor);
    expect(checkCertificate(parseCertificate(der), requestOf(facts), facts)).toEqual(["the signature is the CA's"]);
  });
});
