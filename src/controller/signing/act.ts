// The certificate, or the failure, → the request's status: all writes of signing. Step "deliver" of the journey.
// The uid in each PATCH keeps a certificate from reaching a request that was deleted and created anew under its name.

import type { CertificateSigningRequest, CsrCondition } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { encodeBase64, encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

export interface ActOptions {
  readonly client: KubeClient;
  readonly log: Log;
}

/** Leaf only, one block: the kubelet stores what it finds here beside its key. */
export async function deliver(options: ActOptions, csr: CertificateSigningRequest, der: Uint8Array): Promise<void> {
  const certificate = encodeBase64(encodeUtf8(encodePem("CERTIFICATE", der)));
  try {
    await patchStatus(options, csr, { metadata: { uid: csr.metadata.uid }, status: { certificate } });
  } catch (error) {
    if (!isFault(error, "invalid") || !(await isOver(options.client, csr))) throw error;
    options.log.info("certificate was already there", { csr: csr.metadata.name, uid: csr.metadata.uid });
    return;
  }
  const { serialNumber, subject, notAfterMs } = parseCertificate(der);
  options.log.info("certificate issued", {
    audit: true,
    csr: csr.metadata.name,
    uid: csr.metadata.uid,
    signer: csr.spec.signerName,
    subject: subject.commonName,
    serial: encodeHex(serialNumber),
    notAfter: new Date(notAfterMs).toISOString(),
  });
}

/** Terminal: nobody looks at this request again. A condition replaces the list, so the resourceVersion guards it too. */
export async function fail(options: ActOptions, csr: CertificateSigningRequest, message: string): Promise<void> {
  const { uid, resourceVersion } = csr.metadata;
  const condition: CsrCondition = { type: "Failed", status: "True", reason: "SignerValidationFailure", message };
  const conditions = [...(csr.status?.conditions ?? []), condition];
  await patchStatus(options, csr, { metadata: { uid, resourceVersion }, status: { conditions } });
  options.log.info("certificate refused by the signer", {
    audit: true,
    csr: csr.metadata.name,
    uid,
    signer: csr.spec.signerName,
    why: message,
  });
}

async function patchStatus({ client }: ActOptions, csr: CertificateSigningRequest, patch: unknown): Promise<void> {
  await client.patch(CSRS, { name: csr.metadata.name ?? "", subresource: "status" }, patch, { type: "merge" });
}

/** A certificate is written once: the refusal of a second is no accident, nor is that of one for a replaced request. */
async function isOver(client: KubeClient, csr: CertificateSigningRequest): Promise<boolean> {
  try {
    const live = await client.get<CertificateSigningRequest>(CSRS, { name: csr.metadata.name ?? "" });
    return live.metadata.uid !== csr.metadata.uid || (live.status?.certificate ?? "") !== "";
  } catch (error) {
    if (isFault(error, "not-found")) return true;
    throw error;
  }
}
