import { describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { signCertificateRequest, subjectAltNameExtension } from "../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { judgeRequest, judgeReuse, type OwnRequest } from "./judge.ts";

const nowMs = Date.now();
const ca = aNodeCa("cluster-ca", nowMs);
const key = generatePrivateKey("P-256").signer;
const otherKey = generatePrivateKey("P-256").signer;
const own: OwnRequest = {
  publicKey: key.publicKey,
  commonName: "system:node:worker-1",
  organizations: ["system:nodes"],
  signerName: "example.com/signer",
  names: [],
  nowMs,
};

type Status = NonNullable<CertificateSigningRequest["status"]>;

function aRequest(status: Status = {}, annotations: Record<string, string> = {}): CertificateSigningRequest {
  const subject = { commonName: own.commonName, organizations: own.organizations };
  return withRequest(pemOf(subject, key), { status, annotations });
}

function withRequest(pem: string, { status = {}, annotations = {} }: { status?: Status; annotations?: object } = {}) {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "a", uid: "1", annotations: { ...annotations } },
    spec: { request: encodeBase64(encodeUtf8(pem)), signerName: own.signerName, usages: [] },
    status,
  };
}

function pemOf(
  subject: { commonName: string; organizations: readonly string[] },
  signer: typeof key,
  dnsNames: readonly string[] = [],
): string {
  const extensions = dnsNames.length === 0 ? [] : [subjectAltNameExtension({ dnsNames })];
  return encodePem("CERTIFICATE REQUEST", signCertificateRequest({ subject, extensions }, signer));
}

const yes = (type: string, reason?: string, message?: string) => ({
  type,
  status: "True" as const,
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});
const certificate = encodeBase64(encodeUtf8("PEM"));
const verdict = (value: unknown) => ({ [VERDICT_ANNOTATION]: JSON.stringify(value) });

describe("the state of a request", () => {
  const examples: Record<string, [CertificateSigningRequest, unknown]> = {
    "is issued with approval and certificate": [
      aRequest({ conditions: [yes("Approved")], certificate }),
      { kind: "issued", certificatePem: "PEM" },
    ],
    "is pending with a certificate that nobody approved": [
      aRequest({ certificate }),
      { kind: "pending", approved: false },
    ],
    "is pending while the signer has not signed": [
      aRequest({ conditions: [yes("Approved")] }),
      { kind: "pending", approved: true, why: "approved, but signer example.com/signer has not signed it yet" },
    ],
    "is denied even with a certificate": [
      aRequest({ conditions: [yes("Denied", "NoAttestation", "no evidence")], certificate }),
      { kind: "denied", why: "NoAttestation: no evidence", said: { reason: "NoAttestation", message: "no evidence" } },
    ],
    "is failed even when approved": [
      aRequest({ conditions: [yes("Approved"), yes("Failed", "SignerValidationFailure")], certificate }),
      { kind: "failed", why: "SignerValidationFailure" },
    ],
    "names the controller's rule when its verdict is the one that was carried out": [
      aRequest(
        { conditions: [yes("Denied", "NodeIsRegistered", "taken")] },
        verdict({ rule: "r", reason: "NodeIsRegistered" }),
      ),
      { kind: "denied", said: { rule: "r", reason: "NodeIsRegistered", message: "taken" } },
    ],
    "does not name the rule of another verdict": [
      aRequest({ conditions: [yes("Denied", "ByHand", "no")] }, verdict({ rule: "r", reason: "NodeIsRegistered" })),
      { kind: "denied", said: { reason: "ByHand", message: "no" } },
    ],
    "says so when a denial has no reason": [
      aRequest({ conditions: [yes("Denied")] }),
      { kind: "denied", why: "no reason was given" },
    ],
    "shows the controller's reason while it waits": [
      aRequest({}, verdict({ rule: "machine-has-address", reason: "NoAddress", message: "status.addresses is empty" })),
      { kind: "pending", why: "machine-has-address: status.addresses is empty" },
    ],
    "has no reason of its own when the annotation is garbage": [
      aRequest({}, { [VERDICT_ANNOTATION]: "{" }),
      { kind: "pending", why: "nobody has judged it yet for signer example.com/signer" },
    ],
    "does not let an annotation write on the terminal": [
      aRequest({}, verdict({ message: "\u001b[2Jcleared\n\nline" })),
      { kind: "pending", why: " [2Jcleared line" },
    ],
  };
  for (const [sentence, [csr, expected]] of Object.entries(examples)) {
    it(sentence, () => expect(judgeRequest(csr)).toMatchObject(expected as object));
  }
});

describe("a request that exists already", () => {
  const subject = { commonName: own.commonName, organizations: own.organizations };
  const signed = (notAfterMs: number) =>
    encodeBase64(encodeUtf8(ca.signNode({ publicKey: key.publicKey, notAfterMs })));

  it("is ours when our key signed it", () => expect(judgeReuse(aRequest(), own).kind).toBe("Allow"));

  it("is ours with text before its block", () => {
    expect(judgeReuse(withRequest(`hello\n${pemOf(subject, key)}`), own).kind).toBe("Allow");
  });

  it("is ours with a certificate in force", () => {
    expect(judgeReuse(aRequest({ certificate: signed(nowMs + 60_000) }), own).kind).toBe("Allow");
  });

  const der = signCertificateRequest({ subject, extensions: [] }, key);
  const broken = encodePem("CERTIFICATE REQUEST", der.with(-1, (der.at(-1) ?? 0) ^ 1));
  const refused: Record<string, [CertificateSigningRequest, string]> = {
    "another key made it": [withRequest(pemOf(subject, otherKey)), "OtherKey"],
    "its signature is broken": [withRequest(broken), "OtherKey"],
    "it is not a request at all": [withRequest("nothing"), "OtherKey"],
    "it asks for another node": [withRequest(pemOf({ ...subject, commonName: "system:node:b" }, key)), "OtherSubject"],
    "it asks for a group more": [
      withRequest(pemOf({ ...subject, organizations: ["system:nodes", "system:masters"] }, key)),
      "OtherSubject",
    ],
    "it asks for names": [withRequest(pemOf(subject, key, ["worker-1"])), "OtherNames"],
    "it asks another signer": [{ ...aRequest(), spec: { ...aRequest().spec, signerName: "x.y/z" } }, "OtherSigner"],
    "its certificate has expired": [aRequest({ certificate: signed(nowMs - 60_000) }), "Expired"],
    "its certificate is unreadable": [
      aRequest({ certificate: encodeBase64(encodeUtf8(encodePem("CERTIFICATE", new Uint8Array(9)))) }),
      "Expired",
    ],
  };
  for (const [sentence, [csr, reason]] of Object.entries(refused)) {
    it(`is not ours when ${sentence}`, () => expect(judgeReuse(csr, own)).toMatchObject({ kind: "Deny", reason }));
  }
});
