// The same duty in @peculiar/x509 on Node's WebCrypto.
import { createPrivateKey, webcrypto } from "node:crypto";
import { loadPeculiar } from "../../test/builders/x509-peculiar.mjs";

const P256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 24 * 3600 * 1000;

/** @param {import("./duty.mjs").Authority} authority */
export async function createPeculiarIssuer(authority) {
  const x509 = await loadPeculiar();
  const spki = authority.key.signer.publicKey;
  const publicKey = await webcrypto.subtle.importKey("spki", spki, P256, true, ["verify"]);
  const signingKey = await webcrypto.subtle.importKey("pkcs8", pkcs8(authority), P256, false, ["sign"]);
  const issuer = new x509.X509Certificate(authority.certificate.raw).subject;

  /** @param {Uint8Array} requestDer */
  return async (requestDer) => {
    const request = new x509.Pkcs10CertificateRequest(requestDer);
    if (!(await request.verify())) throw new Error("the request is not signed by its key");
    const notBefore = new Date(Date.now() - 300_000);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(16))).toString("hex"),
      subject: request.subject,
      issuer,
      notBefore,
      notAfter: new Date(notBefore.getTime() + 365 * DAY_MS),
      publicKey: request.publicKey,
      signingKey,
      signingAlgorithm: P256,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.AuthorityKeyIdentifierExtension(Buffer.from(authority.keyId).toString("hex")),
      ],
    });
    if (!(await certificate.verify({ publicKey, signatureOnly: true })))
      throw new Error("the certificate is not signed by the CA");
  };
}

/** @param {import("./duty.mjs").Authority} authority */
function pkcs8({ key }) {
  return createPrivateKey(key.encodePem()).export({ type: "pkcs8", format: "der" });
}
