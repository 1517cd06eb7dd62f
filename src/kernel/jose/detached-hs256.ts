// The detached JWS of cluster-info (RFC 7515 appendix F, HS256): kubeadm proves with the bootstrap token's secret that the
// public kubeconfig is the right one. Go recomputes the whole text and compares, so header bytes and spelling are part of it.
import { encodeBase64Url, encodeUtf8, equalBytes } from "../bytes/index.ts";
import { hmacSha256 } from "../crypto/index.ts";

export interface DetachedHs256 {
  readonly keyId: string;
  readonly secret: string;
  readonly content: string;
}

/** `<header>..<mac>` with the header exactly {"alg":"HS256","kid":"<id>"}. */
export function signDetachedHs256({ keyId, secret, content }: DetachedHs256): string {
  const header = encodeBase64Url(encodeUtf8(JSON.stringify({ alg: "HS256", kid: keyId })));
  const signingInput = encodeUtf8(`${header}.${encodeBase64Url(encodeUtf8(content))}`);
  return `${header}..${encodeBase64Url(hmacSha256(encodeUtf8(secret), signingInput))}`;
}

export function verifyDetachedHs256({ jws, ...signed }: DetachedHs256 & { readonly jws: string }): boolean {
  return equalBytes(encodeUtf8(jws), encodeUtf8(signDetachedHs256(signed)));
}
