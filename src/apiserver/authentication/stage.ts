// Step 2, authenticate: who asks? Each authenticator in order; the first user wins. A bad credential is 401 and never
// falls back to anonymous, even for paths that anonymous may read: the caller must learn that its credential is bad.

import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type UserInfo } from "../../api/access/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type HttpRequest, headerValue } from "../../platform/http/index.ts";
import type { Answer, Call, Next, Parts } from "../call.ts";
import type { Authenticator, Credentials } from "./authenticator.ts";

const ANONYMOUS: UserInfo = { username: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] };

export async function runAuthentication(call: Call, next: Next, parts: Parts): Promise<Answer> {
  const credentials = credentialsOf(call.request);
  try {
    call.caller = identify(credentials, parts.authenticators, parts.clock.now());
    if (call.caller === ANONYMOUS && !parts.allowsAnonymous(call.info.path)) throw nobody();
  } catch (error) {
    // Whoever tries credentials that are not good is worth a line, although nobody's name can stand in it.
    parts.audit.refused(call, error);
    throw error;
  }
  call.user = call.caller;
  return next();
}

function nobody(): Fault {
  return new Fault("unauthorized", "no credential was sent, and anonymous requests are not allowed here");
}

export function identify(credentials: Credentials, authenticators: readonly Authenticator[], nowMs: number): UserInfo {
  const refusals: string[] = [];
  for (const authenticator of authenticators) {
    const result = authenticator.authenticate(credentials, nowMs);
    if (result.kind === "user") return withAuthenticatedGroup(result.user);
    if (result.kind === "refused") refusals.push(`${authenticator.name}: ${result.reason}`);
  }
  if (credentials.bearerToken !== undefined) refusals.push("invalid bearer token");
  if (refusals.length > 0) throw new Fault("unauthorized", refusals.join("; "));
  return ANONYMOUS;
}

/** Anything but `Bearer <token>` is not ours to judge, as in Kubernetes. */
function credentialsOf(request: HttpRequest): Credentials {
  const header = (headerValue(request.headers, "authorization") ?? "").trim();
  const [scheme = "", token = ""] = header.split(" ");
  const isBearer = scheme.toLowerCase() === "bearer" && token !== "";
  return { peerCertificates: request.peerCertificates, bearerToken: isBearer ? token : undefined };
}

/** Who has proved who he is, is in this group; nobody gets it twice, and who says he is nobody does not get it. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}
