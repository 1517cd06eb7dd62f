// Client certificates: the chain is validated for every request, not once per connection, so that an expired certificate
// or a replaced CA ends an open connection's rights at once. CN is the user, each O a group.
// Behaviour of k8s.io/apiserver/pkg/authentication/request/x509.

import type { UserInfo } from "../../api/access/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, EKU_CLIENT_AUTH, parseCertificate, validateChain } from "../../kernel/x509/index.ts";
import { type Authentication, type Authenticator, CREDENTIAL_ID, type Credentials, NOT_MINE } from "./authenticator.ts";

/** Subject attribute that carries the user's uid. */
const UID_OID = "1.3.6.1.4.1.57683.2";

export interface ClientCertificateOptions {
  /** The CA bundle of this moment. */
  readonly roots: () => readonly Certificate[];
}

/** Every CERTIFICATE block of a bundle. Fault `malformed` when one does not parse. */
export function parseCaBundle(pem: string): readonly Certificate[] {
  return parsePem(pem)
    .filter((block) => block.label === "CERTIFICATE")
    .map((block) => parseCertificate(block.bytes));
}

export function createClientCertificateAuthenticator(options: ClientCertificateOptions): Authenticator {
  return {
    name: "client-certificate",
    authenticate: (credentials, nowMs) => {
      if (credentials.peerCertificates.length === 0) return NOT_MINE;
      return judge(credentials, options.roots(), nowMs);
    },
  };
}

function judge(credentials: Credentials, roots: readonly Certificate[], nowMs: number): Authentication {
  const chain = parseChain(credentials.peerCertificates);
  const [leaf, ...intermediates] = chain ?? [];
  if (leaf === undefined) return { kind: "refused", reason: "the client certificate does not parse" };
  const result = validateChain({ leaf, intermediates, roots, nowMs, usage: EKU_CLIENT_AUTH });
  if (!result.ok) return { kind: "refused", reason: `the client certificate is not valid: ${result.message}` };
  return userOf(leaf);
}

function parseChain(ders: readonly Uint8Array[]): readonly Certificate[] | undefined {
  try {
    return ders.map((der) => parseCertificate(der));
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function userOf(leaf: Certificate): Authentication {
  const username = leaf.subject.commonName ?? "";
  if (username === "") return NOT_MINE;
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
  return { kind: "user", user };
}
