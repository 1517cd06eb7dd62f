// A client certificate of any CA, made with the kernel: for the embedded server and for a real one alike.

import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  EKU_CLIENT_AUTH,
  extKeyUsageExtension,
  keyUsageExtension,
  parseCertificate,
  signCertificate,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, parsePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";

const HOUR_MS = 3_600_000;

export interface ClientCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ClientSubject {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly nowMs?: number;
  /** Default: a day. Negative: already over. */
  readonly lifetimeMs?: number | undefined;
}

/** Valid since an hour ago. */
export function aClientCertificate(
  ca: { readonly caPem: string; readonly caKeyPem: string },
  { user, groups = [], nowMs = Date.now(), lifetimeMs = 24 * HOUR_MS }: ClientSubject,
): ClientCertificate {
  const [block] = parsePem(ca.caPem);
  const key = generatePrivateKey("P-256");
  const template = {
    serialNumber: Uint8Array.from([1, ...randomBytes(15)]),
    subject: { commonName: user, organizations: groups },
    issuer: parseCertificate(block?.bytes ?? new Uint8Array()).subject.raw,
    notBeforeMs: nowMs - HOUR_MS,
    notAfterMs: nowMs + lifetimeMs,
    publicKey: key.signer.publicKey,
    extensions: [keyUsageExtension(["digitalSignature"]), extKeyUsageExtension([EKU_CLIENT_AUTH])],
  };
  const certificate = signCertificate(template, parsePrivateKey(ca.caKeyPem).signer);
  return { certPem: encodePem("CERTIFICATE", certificate), keyPem: key.encodePem() };
}
