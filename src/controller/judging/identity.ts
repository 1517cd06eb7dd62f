// Who asks, with which key: the readings that rules and indexes share. Pure.

import type { UserInfo } from "../../api/access/index.ts";
import { BOOTSTRAP_USER_PREFIX, BOOTSTRAPPERS_GROUP } from "../../api/certificates/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { CertificateRequest, PublicKey } from "../../kernel/x509/index.ts";

const TOKEN_ID = /^[a-z0-9]{6}$/;

/** The id of the bootstrap token that asks; undefined when the requester is somebody else. */
export function bootstrapTokenId({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(BOOTSTRAP_USER_PREFIX) || !groups.includes(BOOTSTRAPPERS_GROUP)) return undefined;
  const id = username.slice(BOOTSTRAP_USER_PREFIX.length);
  return TOKEN_ID.test(id) ? id : undefined;
}

/** A node asks for its own name again; anything else is a first certificate. Kubernetes' recognizers draw the same line. */
export function isRenewal({ subject }: CertificateRequest, requester: Pick<UserInfo, "username">): boolean {
  return requester.username === subject.commonName;
}

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** With which certificate the requester came: `X509SHA256=<hex>`, stamped by the API server. */
export function credentialOf(extra: UserInfo["extra"]): string | undefined {
  return extra?.[CREDENTIAL_ID]?.find((id) => id.startsWith("X509SHA256="));
}

/** What `credentialOf` will say of whoever presents this certificate. */
export function credentialFor(certificateDer: Uint8Array): string {
  return `X509SHA256=${encodeHex(sha256(certificateDer))}`;
}

/** Lower-case hex of the SHA-256 of the public key (SPKI): enough to say "another key". */
export function keyDigestOf(key: PublicKey): string {
  return encodeHex(sha256(key.spki));
}
