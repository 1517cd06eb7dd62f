// From a certificate's subject to a node's name.

import { NODE_USER_PREFIX } from "../../api/certificates/index.ts";

/** A Node's name is a DNS-1123 subdomain of at most 253 characters. */
const MAX_NODE_NAME = 253;
const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** `system:node:worker-3` → `worker-3`; undefined when the rest could not be the name of a Node. */
export function nodeNameOf(commonName: string | undefined): string | undefined {
  if (commonName === undefined || !commonName.startsWith(NODE_USER_PREFIX)) return undefined;
  const name = commonName.slice(NODE_USER_PREFIX.length);
  return name.length <= MAX_NODE_NAME && NODE_NAME.test(name) ? name : undefined;
}
