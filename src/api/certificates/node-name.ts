// A Node's name is a DNS-1123 subdomain: it becomes part of a subject, of paths and of labels.

import { NODE_USER_PREFIX } from "./signers.ts";

export const NODE_NAME_MAX_CHARACTERS = 253;
const LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const NODE_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

export function isNodeName(text: string): boolean {
  return text.length <= NODE_NAME_MAX_CHARACTERS && NODE_NAME.test(text);
}

/** `system:node:worker-3` → `worker-3`; undefined when the rest could not be the name of a Node. */
export function nodeNameOf(commonName: string | undefined): string | undefined {
  if (commonName === undefined || !commonName.startsWith(NODE_USER_PREFIX)) return undefined;
  const name = commonName.slice(NODE_USER_PREFIX.length);
  return isNodeName(name) ? name : undefined;
}
