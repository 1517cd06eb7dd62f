// A clerk who decides on certificate requests as a test tells him to, right or wrong, and signs with the cluster's CA.
// On any API server, embedded or real.

import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  OID_SUBJECT_ALT_NAME,
  parseCertificate,
  parseCertificateRequest,
  signCertificate,
} from "../../src/kernel/x509/index.ts";
import type { NameTemplate } from "../../src/kernel/x509/name.ts";
import { parsePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";

const HOUR_MS = 3_600_000;

/** What the clerk does with a request: approve and sign it as changed here, deny it, or leave it alone. */
export type Decision =
  | {
      readonly kind: "sign";
      readonly subject?: NameTemplate;
      readonly publicKey?: Uint8Array;
      readonly lifetimeMs?: number;
    }
  | { readonly kind: "deny"; readonly reason: string; readonly message: string }
  | { readonly kind: "leave" };

export interface ClerkCa {
  readonly caPem: string;
  readonly caKeyPem: string;
}

export interface Clerk {
  readonly ca: ClerkCa;
  readonly admin: KubeClient;
  readonly signal: AbortSignal;
  readonly decide: (csr: CertificateSigningRequest) => Decision;
}

/** Until the signal aborts. */
export async function runClerk(clerk: Clerk): Promise<void> {
  const { admin, signal, decide } = clerk;
  try {
    for await (const { type, object } of admin.watch<CertificateSigningRequest>(CSRS, { signal })) {
      if (type === "ADDED") await carryOut(clerk, object, decide(object));
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

export async function carryOut(
  clerk: Pick<Clerk, "ca" | "admin">,
  csr: CertificateSigningRequest,
  decision: Decision,
): Promise<void> {
  if (decision.kind === "leave") return;
  const target = { name: csr.metadata.name ?? "" };
  const condition = (type: string, reason: string, message: string) =>
    clerk.admin.patch(
      CSRS,
      { ...target, subresource: "approval" },
      { status: { conditions: [{ type, status: "True", reason, message }] } },
    );
  if (decision.kind === "deny") {
    await condition("Denied", decision.reason, decision.message);
    return;
  }
  await condition("Approved", "ByClerk", "the clerk approves");
  const certificate = encodeBase64(encodeUtf8(sign(clerk.ca, csr, decision)));
  await clerk.admin.patch(CSRS, { ...target, subresource: "status" }, { status: { certificate } });
}

function sign(ca: ClerkCa, csr: CertificateSigningRequest, decision: Decision & { kind: "sign" }): string {
  const [block] = parsePem(parseUtf8(parseBase64(csr.spec.request)));
  const request = parseCertificateRequest(block?.bytes ?? new Uint8Array());
  const [caBlock] = parsePem(ca.caPem);
  const issuer = parseCertificate(caBlock?.bytes ?? new Uint8Array()).subject.raw;
  const usage = csr.spec.usages.includes("server auth") ? EKU_SERVER_AUTH : EKU_CLIENT_AUTH;
  const names = request.extensions.filter(({ oid }) => oid === OID_SUBJECT_ALT_NAME);
  const extensions: Extension[] = [keyUsageExtension(["digitalSignature"]), extKeyUsageExtension([usage]), ...names];
  const template = {
    serialNumber: Uint8Array.of(1, ...randomBytes(15)),
    subject: decision.subject === undefined ? request.subject.raw : encodeName(decision.subject),
    issuer,
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + (decision.lifetimeMs ?? HOUR_MS),
    publicKey: decision.publicKey ?? request.publicKey.spki,
    extensions,
  };
  return encodePem("CERTIFICATE", signCertificate(template, parsePrivateKey(ca.caKeyPem).signer));
}
