// A CA for a test, and the servers and clients it vouches for: valid for an hour around now, P-256 because that is
// fast.

import { encodePem } from "../../src/kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  type SubjectAltNameTemplate,
  signCertificate,
  subjectAltNameExtension,
} from "../../src/kernel/x509/index.ts";
import type { NameTemplate } from "../../src/kernel/x509/name.ts";
import { generatePrivateKey, type PrivateKey, randomBytes } from "../../src/platform/keys/index.ts";

const HOUR_MS = 3_600_000;

export interface TlsPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface TestCa extends TlsPair {
  /** For `localhost` and 127.0.0.1 unless told otherwise. */
  issueServing(names?: SubjectAltNameTemplate): TlsPair;
  issueClient(commonName: string, organizations?: readonly string[]): TlsPair;
}

export function aTestCa(commonName = "test-ca"): TestCa {
  const key = generatePrivateKey("P-256");
  const name: NameTemplate = { commonName, organizations: [] };
  const issue = (subject: NameTemplate, extensions: readonly Extension[], leafKey: PrivateKey): TlsPair => {
    const nowMs = Date.now();
    const template = {
      serialNumber: Uint8Array.of(1, ...randomBytes(15)),
      subject,
      issuer: encodeName(name),
      notBeforeMs: nowMs - HOUR_MS,
      notAfterMs: nowMs + HOUR_MS,
      publicKey: leafKey.signer.publicKey,
      extensions,
    };
    return { certPem: encodePem("CERTIFICATE", signCertificate(template, key.signer)), keyPem: leafKey.encodePem() };
  };
  const issueLeaf = (subject: NameTemplate, extensions: readonly Extension[]) =>
    issue(subject, extensions, generatePrivateKey("P-256"));
  return {
    ...issue(name, [basicConstraintsExtension({ ca: true }), keyUsageExtension(["keyCertSign"])], key),
    issueServing: (names = { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] }) =>
      issueLeaf({ commonName: "test-server", organizations: [] }, [
        extKeyUsageExtension([EKU_SERVER_AUTH]),
        subjectAltNameExtension(names),
      ]),
    issueClient: (clientName, organizations = []) =>
      issueLeaf({ commonName: clientName, organizations }, [extKeyUsageExtension([EKU_CLIENT_AUTH])]),
  };
}
