// Who asks, for which name, with which key: the three readings that rules and indexes share. Pure.

import type { UserInfo } from "../../api/access/index.ts";
import { BOOTSTRAP_USER_PREFIX, BOOTSTRAPPERS_GROUP, NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { PublicKey } from "../../kernel/x509/index.ts";

const TOKEN_ID = /^[a-z0-9]{6}$/;

/** The id of the bootstrap token that asks; undefined when the requester is somebody else. */
export function bootstrapTokenId({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(BOOTSTRAP_USER_PREFIX) || !groups.includes(BOOTSTRAPPERS_GROUP)) return undefined;
  const id = username.slice(BOOTSTRAP_USER_PREFIX.length);
  return TOKEN_ID.test(id) ? id : undefined;
}

/** A Node's name is a DNS-1123 subdomain of at most 253 characters. */
const MAX_NODE_NAME = 253;
const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** `system:node:worker-3` → `worker-3`; undefined when the rest could not be the name of a Node. */
export function nodeNameOf(commonName: string | undefined): string | undefined {
  if (commonName === undefined || !commonName.startsWith(NODE_USER_PREFIX)) return undefined;
  const name = commonName.slice(NODE_USER_PREFIX.length);
  return name.length <= MAX_NODE_NAME && NODE_NAME.test(name) ? name : undefined;
}

/** Lower-case hex of the SHA-256 of the public key (SPKI): enough to say "another key". */
export function keyDigestOf(key: PublicKey): string {
  return encodeHex(sha256(key.spki));
}
