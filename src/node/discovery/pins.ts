// CA pins as kubeadm writes them: `sha256:<hex of SHA-256 over the CA's SubjectPublicKeyInfo>`. A pin says which key may
// vouch for the cluster, so a holder of the token alone cannot pose as it.

import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";

const PIN = /^sha256:([0-9a-f]{64})$/i;

/** A pin in its canonical spelling, so that two pins of one key are equal strings. */
export function parseCaPin(text: string): string {
  if (!PIN.test(text)) throw new Fault("bad-config", `CA pin ${JSON.stringify(text)} is not sha256:<64 hex digits>`);
  return text.toLowerCase();
}

export function caPinOf(certificate: Certificate): string {
  return `sha256:${encodeHex(sha256(certificate.publicKey.spki))}`;
}
