// The duty that is measured: what a signer does with one CSR, from bytes to bytes. Read it and verify its signature,
// make a template as kube-controller-manager's signer does, sign, and check the finished certificate with the CA's key.
import { loadParts } from "../frame/product.mjs";

const { x509, keys } = await loadParts({ x509: "kernel/x509", keys: "platform/keys" });
const {
  authorityKeyIdExtension,
  basicConstraintsExtension,
  computeKeyId,
  EKU_CLIENT_AUTH,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  parseCertificate,
  parseCertificateRequest,
  parsePublicKey,
  signCertificate,
  signCertificateRequest,
  subjectKeyIdExtension,
  verifyCertificateSignature,
  verifyRequestSignature,
} = x509;
const { generatePrivateKey, randomBytes } = keys;

const DAY_MS = 24 * 3600 * 1000;

/**
 * @typedef {ReturnType<typeof createAuthority>} Authority
 * @param {"RSA-2048" | "P-256"} kind
 */
export function createAuthority(kind) {
  const key = generatePrivateKey(kind);
  const subject = encodeName({ commonName: "kubernetes" });
  const keyId = computeKeyId(parsePublicKey(key.signer.publicKey));
  const usages = keyUsageExtension(["digitalSignature", "keyEncipherment", "keyCertSign"]);
  const der = signCertificate(
    {
      serialNumber: serialNumber(),
      subject,
      issuer: subject,
      notBeforeMs: Date.now() - DAY_MS,
      notAfterMs: Date.now() + 3650 * DAY_MS,
      publicKey: key.signer.publicKey,
      extensions: [usages, basicConstraintsExtension({ ca: true }), subjectKeyIdExtension(keyId)],
    },
    key.signer,
  );
  return { key, certificate: parseCertificate(der), keyId };
}

/**
 * Requests of kubelets, each with a key of its own, so that nothing can be remembered from one to the next.
 * @param {number} count
 */
export function createRequests(count) {
  return Array.from({ length: count }, (_, i) => {
    const subject = { commonName: `system:node:worker-${i}`, organizations: ["system:nodes"] };
    return signCertificateRequest({ subject }, generatePrivateKey("P-256").signer);
  });
}

/** @param {Authority} authority @param {Uint8Array} requestDer */
export function issue({ key, certificate: ca, keyId }, requestDer) {
  const request = parseCertificateRequest(requestDer);
  if (!verifyRequestSignature(request)) throw new Error("the request is not signed by its key");
  const notBeforeMs = Date.now() - 300_000;
  const der = signCertificate(
    {
      serialNumber: serialNumber(),
      subject: request.subject.raw,
      issuer: ca.subject.raw,
      notBeforeMs,
      notAfterMs: notBeforeMs + 365 * DAY_MS,
      publicKey: request.publicKey.spki,
      extensions: [
        keyUsageExtension(["digitalSignature"]),
        extKeyUsageExtension([EKU_CLIENT_AUTH]),
        basicConstraintsExtension({ ca: false }),
        authorityKeyIdExtension(keyId),
      ],
    },
    key.signer,
  );
  if (!verifyCertificateSignature(parseCertificate(der), ca.publicKey))
    throw new Error("the certificate is not signed by the CA");
  return der;
}

function serialNumber() {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
