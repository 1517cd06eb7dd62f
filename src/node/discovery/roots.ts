// Root certificates: bundles in PEM, and CA pins as kubeadm writes them, `sha256:<hex of SHA-256 over the CA's
// SubjectPublicKeyInfo>`. A pin fixes the key of the cluster's CA, so that a holder of the token cannot pose as it.

import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";

export function encodeBundle(certificates: readonly Certificate[]): string {
  return certificates.map(({ raw }) => encodePem("CERTIFICATE", raw)).join("");
}

/** Each certificate once, compared by its bytes, in the order of its first appearance. */
export function mergeBundles(bundles: readonly (readonly Certificate[])[]): readonly Certificate[] {
  return [...new Map(bundles.flat().map((each) => [encodePem("CERTIFICATE", each.raw), each])).values()];
}

const PIN = /^sha256:([0-9a-f]{64})$/i;

/** A pin in its canonical spelling, so that two pins of one key are equal strings. */
export function parseCaPin(text: string): string {
  if (!PIN.test(text)) throw new Fault("bad-config", `CA pin ${JSON.stringify(text)} is not sha256:<64 hex digits>`);
  return text.toLowerCase();
}

export function caPinOf(certificate: Certificate): string {
  return `sha256:${encodeHex(sha256(certificate.publicKey.spki))}`;
}
