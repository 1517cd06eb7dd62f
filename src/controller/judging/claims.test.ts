import { describe, expect, it } from "vitest";
import {
  aCsr,
  aNode,
  approved,
  type CsrModifier,
  forNode,
  from,
  named,
  withCertificate,
  withCondition,
  withProviderId,
  withSan,
  withSigner,
  withSubject,
  withUsages,
  wrapped,
} from "../../../test/builders/csr.ts";
import { aTestCa } from "../../../test/builders/tls-pair.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate, verifyCertificateSignature } from "../../kernel/x509/index.ts";
import { createClaims } from "./claims.ts";

const uidOf = (csr: ReturnType<typeof aCsr>) => csr.metadata.uid ?? "";

describe("claims on node names", () => {
  it("hold for approved requests of a client certificate, and for no others", () => {
    const claims = createClaims();
    claims.observe(aCsr(named("good"), approved()));
    claims.observe(aCsr(named("pending")));
    claims.observe(aCsr(named("denied"), withCondition("Denied")));
    claims.observe(aCsr(named("serving"), approved(), withUsages("digital signature", "server auth")));
    claims.observe(aCsr(named("other-node"), approved(), forNode("worker-4")));
    claims.observe(aCsr(named("no-node"), approved(), withSubject({ commonName: "someone" })));
    expect(claims.of("worker-3").map(({ csrName, standing }) => [csrName, standing])).toEqual([["good", "Approved"]]);
  });

  it("keep their certificate when an older state without one comes late: our own answer after the watch", () => {
    const claims = createClaims();
    const { certPem } = aTestCa().issueClient("system:node:worker-3", ["system:nodes"]);
    const issued = aCsr(approved(), withCertificate(certPem));
    const { certificate: _none, ...status } = issued.status ?? {};
    const before = { ...issued, status };
    claims.observe(before);
    claims.observe(issued);
    const [known] = claims.of("worker-3");
    expect(known?.credential).toMatch(/^X509SHA256=/);
    claims.observe(before);
    expect(claims.of("worker-3")).toEqual([known]);
  });

  it("hold for whatever somebody approved, though we would have refused it", () => {
    const claims = createClaims();
    claims.observe(
      aCsr(
        approved(),
        wrapped((pem) => pem + pem),
        withSan({ dnsNames: ["x"] }),
      ),
    );
    expect(claims.of("worker-3")).toHaveLength(1);
  });

  describe("under a signer that nobody here knows", () => {
    const [ours, theirs] = [aTestCa(), aTestCa()];
    const caKey = parseCertificate(parsePem(ours.certPem)[0]?.bytes ?? new Uint8Array()).publicKey;
    const isOfCluster = (certificate: Certificate) => verifyCertificateSignature(certificate, caKey);
    const foreign = withSigner("example.com/careless");
    const issuedBy = (ca: typeof ours) =>
      withCertificate(ca.issueClient("system:node:worker-3", ["system:nodes"]).certPem);

    it.each<[string, CsrModifier[], number]>([
      ["an approval is none: its signer may never come, or sign with any CA", [], 0],
      ["a certificate of another CA is none: no API server of this cluster takes it", [issuedBy(theirs)], 0],
      ["a certificate of the cluster's CA is one", [issuedBy(ours)], 1],
    ])("%s", (_, more, count) => {
      const claims = createClaims({ isOfCluster });
      claims.observe(aCsr(approved(), foreign, withProviderId("aws:///i-3"), ...more));
      expect(claims.of("worker-3")).toHaveLength(count);
      expect(claims.ofProvider("aws:///i-3")).toHaveLength(count);
    });
  });

  it("know when they were approved, and who asked", () => {
    const claims = createClaims();
    claims.observe(aCsr(named("first"), withCondition("Approved", "ByTest", "2026-01-01T00:00:00Z")));
    claims.observe(aCsr(named("next"), approved(), from(aNode("worker-3"))));
    expect(claims.of("worker-3")).toMatchObject([
      { csrName: "first", isFirst: true, approvedMs: Date.parse("2026-01-01T00:00:00Z") },
      { csrName: "next", isFirst: false, approvedMs: undefined },
    ]);
  });

  it("know the end of the issued certificate", () => {
    const claims = createClaims();
    const { certPem } = aTestCa().issueClient("system:node:worker-3", ["system:nodes"]);
    claims.observe(aCsr(approved(), withCertificate(certPem)));
    expect(claims.of("worker-3")[0]?.notAfterMs).toBeGreaterThan(Date.now());
  });

  it("stand without an end when the certificate cannot be read", () => {
    const claims = createClaims();
    claims.observe(aCsr(approved(), withCertificate("garbage")));
    expect(claims.of("worker-3")).toMatchObject([{ notAfterMs: undefined }]);
  });

  it("are reserved before the approval is sent and given up when it was surely not written", () => {
    const claims = createClaims();
    const csr = aCsr();
    claims.reserve(csr);
    expect(claims.of("worker-3")).toMatchObject([{ standing: "Reserved" }]);
    claims.release(uidOf(csr));
    expect(claims.of("worker-3")).toEqual([]);
  });

  it("are not undone by an older event that arrives late, nor by a second attempt", () => {
    const claims = createClaims();
    const csr = aCsr();
    claims.observe({ ...csr, status: { conditions: [{ type: "Approved", status: "True" }] } });
    claims.observe(csr);
    claims.reserve(csr);
    claims.release(uidOf(csr));
    expect(claims.of("worker-3")).toMatchObject([{ standing: "Approved" }]);
  });

  it("go with their request, and say which name became free", () => {
    const claims = createClaims();
    const csr = aCsr(approved());
    claims.observe(csr);
    expect(claims.forget(uidOf(csr))).toBe("worker-3");
    expect(claims.forget(uidOf(csr))).toBeUndefined();
    expect(claims.of("worker-3")).toEqual([]);
  });

  it("go when the request fails, unless a certificate was issued before", () => {
    const claims = createClaims();
    const failed = { ...aCsr(approved(), withCondition("Failed")) };
    claims.observe(failed);
    expect(claims.of("worker-3")).toEqual([]);
    const { certPem } = aTestCa().issueClient("system:node:worker-3", ["system:nodes"]);
    claims.observe(aCsr(approved(), withCondition("Failed"), withCertificate(certPem)));
    expect(claims.of("worker-3")).toHaveLength(1);
  });
});
