// Who is a node: a user named system:node:<name> in group system:nodes. The name alone is no proof: anybody who may issue
// client certificates for a user name but not for that group must not become a node.

import type { UserInfo } from "../api/access/index.ts";
import { NODE_USER_PREFIX, NODES_GROUP } from "../api/certificates/index.ts";

/** The node's name, possibly empty and not checked; undefined for a user that is no node. */
export function nodeOfUser(user: UserInfo): string | undefined {
  if (!user.username.startsWith(NODE_USER_PREFIX) || !user.groups.includes(NODES_GROUP)) return undefined;
  return user.username.slice(NODE_USER_PREFIX.length);
}
