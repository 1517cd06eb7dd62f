// The certificate, or the failure, → the request's status: all writes of signing. Step "deliver" of the journey.
// Written as kube-controller-manager writes it: the whole object back, with what is new in its status.

import type { CertificateSigningRequest, CsrCondition, CsrStatus } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { encodeBase64, encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

export interface DeliveryOptions {
  readonly client: KubeClient;
  readonly log: Log;
}

/**
 * Leaf only, one block: the kubelet stores what it finds here beside its key. The line of the audit trail comes first:
 * no certificate leaves without it, even if the process dies in between. One that did not arrive is said to be so.
 */
export async function deliver(
  options: DeliveryOptions,
  csr: CertificateSigningRequest,
  certificate: Certificate,
): Promise<void> {
  const { log, client } = options;
  const said = describe(csr, certificate);
  log.info("certificate issued", { audit: true, ...said });
  try {
    await putStatus(options, csr, {
      ...csr.status,
      certificate: encodeBase64(encodeUtf8(encodePem("CERTIFICATE", certificate.raw))),
    });
  } catch (error) {
    if (!isFault(error)) throw error;
    log.info("certificate not delivered", { audit: true, ...said, why: error.code });
    if (error.code !== "invalid" || !(await isOver(client, csr))) throw error;
  }
}

function describe(csr: CertificateSigningRequest, { serialNumber, subject, notAfterMs }: Certificate) {
  return {
    csr: csr.metadata.name,
    uid: csr.metadata.uid,
    signer: csr.spec.signerName,
    subject: subject.commonName,
    serial: encodeHex(serialNumber),
    notAfter: new Date(notAfterMs).toISOString(),
  };
}

/** Terminal: this request is not looked at again. */
export async function fail(
  options: DeliveryOptions,
  csr: CertificateSigningRequest,
  message: string,
  reason = "SignerValidationFailure",
): Promise<void> {
  const { uid } = csr.metadata;
  const condition: CsrCondition = { type: "Failed", status: "True", reason, message };
  const conditions = [...(csr.status?.conditions ?? []), condition];
  await putStatus(options, csr, { ...csr.status, conditions });
  options.log.info("certificate refused by the signer", {
    audit: true,
    csr: csr.metadata.name,
    uid,
    signer: csr.spec.signerName,
    reason,
    why: message,
  });
}

/** One PUT of the object as it was seen: uid and resourceVersion in it keep it from meeting any other state. */
async function putStatus(
  { client }: DeliveryOptions,
  csr: CertificateSigningRequest,
  status: CsrStatus,
): Promise<void> {
  await client.update<CertificateSigningRequest>(CSRS, { ...csr, status }, { subresource: "status" });
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
