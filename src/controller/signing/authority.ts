// The authority: one CA certificate and the key that belongs to it. A mismatch is found here, when the controller
// starts, and not at the first join.

import { equalBytes } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate, type Signer } from "../../kernel/x509/index.ts";
import { parsePrivateKey } from "../../platform/keys/index.ts";

export interface AuthorityPems {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Authority {
  readonly certificate: Certificate;
  readonly signer: Signer;
}

export function createAuthority({ certPem, keyPem }: AuthorityPems): Authority {
  const blocks = parsePem(certPem);
  const [block, ...others] = blocks;
  if (block === undefined || others.length > 0 || block.label !== "CERTIFICATE") {
    throw new Fault("bad-config", `the CA file holds ${blocks.length} PEM blocks, expected exactly one certificate`);
  }
  const certificate = parseCertificate(block.bytes);
  const maySign = certificate.keyUsage === undefined || certificate.keyUsage.includes("keyCertSign");
  if (certificate.basicConstraints?.ca !== true || !maySign) {
    throw new Fault("bad-config", "the CA certificate may not sign certificates");
  }
  const { signer } = parsePrivateKey(keyPem);
  if (!equalBytes(signer.publicKey, certificate.publicKey.spki)) {
    throw new Fault("bad-config", "the CA key does not belong to the CA certificate");
  }
  return { certificate, signer };
}
