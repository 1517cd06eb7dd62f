// The name of a node's certificate request: kubelet's digest over key, subject and usages. The same key asks under the
// same name, so a restart finds the request it made before instead of filing another (pkg/kubelet/certificate/bootstrap).

import { encodeBase64Url, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha512t256 } from "../../kernel/crypto/index.ts";

export interface RequestIdentity {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly usages: readonly string[];
  /** Of a serving certificate; other names are another request. kubelet's digest has no such part. */
  readonly names?: readonly string[];
}

export function requestName({ publicKey, commonName, organizations, usages, names = [] }: RequestIdentity): string {
  const items = [publicKey, ...[commonName, ...organizations, ...usages, ...names].map(encodeUtf8)];
  const digest = sha512t256(encodeUtf8(items.map((item) => `${encodeBase64Url(item)}|`).join("")));
  return `node-csr-${encodeBase64Url(digest)}`;
}
