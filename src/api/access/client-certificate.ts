// Client certificates: CN is the user, each O a group. Judged for every request, not once per connection, so that an
// expired certificate or a replaced CA ends an open connection's rights at once. Pure; one judge for the embedded
// server and the gateway. Behaviour of k8s.io/apiserver/pkg/authentication/request/x509.

import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type Certificate, EKU_CLIENT_AUTH, parseCertificate, validateChain } from "../../kernel/x509/index.ts";
import type { UserInfo } from "./attributes.ts";

/** The key of `extra` that says which credential it was: the hash of a certificate or the id of a token. */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** Subject attribute that carries the user's uid. */
const UID_OID = "1.3.6.1.4.1.57683.2";

interface ShownCertificates {
  /** DER, leaf first, as the peer sent them. */
  readonly ders: readonly Uint8Array[];
  readonly roots: readonly Certificate[];
  readonly nowMs: number;
}

export type CertificateVerdict =
  /** `untilMs`: when the first certificate of the chain ends; until then the same chain and roots mean the same. */
  | { readonly kind: "user"; readonly user: UserInfo; readonly untilMs: number }
  /** Nothing was shown, or a good certificate without a user name. */
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: string };

const NOBODY: CertificateVerdict = { kind: "none" };

export function judgeClientCertificate({ ders, roots, nowMs }: ShownCertificates): CertificateVerdict {
  if (ders.length === 0) return NOBODY;
  const chain = parseChain(ders);
  const [leaf, ...intermediates] = chain ?? [];
  if (leaf === undefined) return { kind: "refused", reason: "the client certificate does not parse" };
  const result = validateChain({ leaf, intermediates, roots, nowMs, usage: EKU_CLIENT_AUTH });
  if (!result.ok) return { kind: "refused", reason: `the client certificate is not valid: ${result.message}` };
  return userOf(leaf, Math.min(...result.chain.map(({ notAfterMs }) => notAfterMs)));
}

function parseChain(ders: readonly Uint8Array[]): readonly Certificate[] | undefined {
  try {
    return ders.map((der) => parseCertificate(der));
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function userOf(leaf: Certificate, untilMs: number): CertificateVerdict {
  const username = leaf.subject.commonName ?? "";
  if (username === "") return NOBODY;
  const uids = leaf.subject.attributes.filter((attribute) => attribute.oid === UID_OID);
  const [uid] = uids;
  if (uids.length > 1 || uid?.value === "") {
    return { kind: "refused", reason: "the client certificate must have at most one, non-empty uid" };
  }
  const user: UserInfo = {
    username,
    ...(uid === undefined ? {} : { uid: uid.value }),
    groups: leaf.subject.organizations,
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${encodeHex(sha256(leaf.raw))}`] },
  };
  return { kind: "user", user, untilMs };
}
