// How a bootstrap token shows in the identity that the API server stamps on a request.

import type { UserInfo } from "../../api/access/index.ts";
import { BOOTSTRAP_USER_PREFIX, BOOTSTRAPPERS_GROUP } from "../../api/certificates/index.ts";

const TOKEN_ID = /^[a-z0-9]{6}$/;

/** The id of the token that asks, or undefined when the requester is somebody else. */
export function bootstrapTokenId(requester: UserInfo): string | undefined {
  if (!requester.username.startsWith(BOOTSTRAP_USER_PREFIX)) return undefined;
  const id = requester.username.slice(BOOTSTRAP_USER_PREFIX.length);
  return TOKEN_ID.test(id) && requester.groups.includes(BOOTSTRAPPERS_GROUP) ? id : undefined;
}
