// A CA to sign requests with: valid for ten years around the manual clock's start, spoiled by options.

import { encodePem } from "../../src/kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  computeKeyId,
  encodeName,
  keyUsageExtension,
  parsePublicKey,
  signCertificate,
  subjectKeyIdExtension,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import type { KeyKind } from "../../src/platform/keys/private-key.ts";
import { START_MS } from "../fakes/clock.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

export interface AuthorityOptions {
  readonly kind?: KeyKind;
  readonly notAfterMs?: number;
  readonly ca?: boolean;
  readonly withKeyId?: boolean;
}

export function anAuthority(options: AuthorityOptions = {}): { readonly certPem: string; readonly keyPem: string } {
  const { kind = "P-256", notAfterMs = START_MS + 9 * YEAR_MS, ca = true, withKeyId = true } = options;
  const key = generatePrivateKey(kind);
  const name = encodeName({ commonName: "kubernetes" });
  const keyId = computeKeyId(parsePublicKey(key.signer.publicKey));
  const der = signCertificate(
    {
      serialNumber: Uint8Array.of(1),
      subject: name,
      issuer: name,
      notBeforeMs: START_MS - YEAR_MS,
      notAfterMs,
      publicKey: key.signer.publicKey,
      extensions: [
        basicConstraintsExtension({ ca }),
        keyUsageExtension(ca ? ["digitalSignature", "keyEncipherment", "keyCertSign"] : ["digitalSignature"]),
        ...(withKeyId ? [subjectKeyIdExtension(keyId)] : []),
      ],
    },
    key.signer,
  );
  return { certPem: encodePem("CERTIFICATE", der), keyPem: key.encodePem() };
}
