// Step 2, authenticate: each authenticator in order; the first that recognizes the user wins. A bad credential is 401
// and never falls back to anonymous, even for paths that anonymous may read: the caller must learn that its credential
// is bad.

import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  bearerTokenOf,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
} from "../../api/access/index.ts";
import { refuseDiscoveryRequest } from "../../api/bootstrap/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { type HttpRequest, headerValue } from "../../platform/http/index.ts";
import type { Answer, Call, Next } from "../call.ts";
import type { TokenVerdict } from "../resources/review.ts";
import { forbiddenPath } from "../status/status.ts";
import type { Authentication, Authenticator, Credentials } from "./authenticator.ts";

export interface AuthenticationParts {
  readonly authenticators: readonly Authenticator[];
  /** May a request without any credential continue as anonymous? */
  readonly allowsAnonymous: (path: string) => boolean;
  readonly clock: Clock;
  readonly audit: {
    /** A request whose credential was refused: it has no user. */
    refused(call: Call, error: unknown): void;
  };
}

const ANONYMOUS: UserInfo = { username: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] };

export async function runAuthentication(call: Call, next: Next, parts: AuthenticationParts): Promise<Answer> {
  const credentials = credentialsOf(call.request);
  try {
    const { user, replyKey } = recognize(credentials, parts.authenticators, parts.clock.now());
    call.caller = user;
    call.user = user;
    if (user === ANONYMOUS && !parts.allowsAnonymous(call.info.path)) throw credentialRequired();
    if (replyKey !== undefined) {
      // Only answers to discovery requests are signed; the refusal of any other request is not.
      requireDiscovery(call.request);
      call.replyKey = replyKey;
    }
  } catch (error) {
    // Refused credentials are recorded, mostly without a user name.
    parts.audit.refused(call, error);
    throw error;
  }
  return next();
}

function credentialRequired(): Fault {
  return new Fault("unauthorized", "no credential was sent, and anonymous requests are not allowed here");
}

/** A JWT that others may have captured opens cluster-info and nothing else, whatever its user may be allowed. */
function requireDiscovery({ method, target, headers }: HttpRequest): void {
  const why = refuseDiscoveryRequest({ method, target, headers });
  if (why !== undefined) throw forbiddenPath(why);
}

export function identify(credentials: Credentials, authenticators: readonly Authenticator[], nowMs: number): UserInfo {
  return recognize(credentials, authenticators, nowMs).user;
}

type Recognized = Pick<Extract<Authentication, { kind: "user" }>, "user" | "replyKey">;

function recognize(credentials: Credentials, authenticators: readonly Authenticator[], nowMs: number): Recognized {
  const refusals: string[] = [];
  for (const authenticator of authenticators) {
    const result = authenticator.authenticate(credentials, nowMs);
    if (result.kind === "user") return { ...result, user: withAuthenticatedGroup(result.user) };
    if (result.kind === "refused") refusals.push(`${authenticator.name}: ${result.reason}`);
  }
  if (credentials.bearerToken !== undefined) refusals.push("invalid bearer token");
  if (refusals.length > 0) throw new Fault("unauthorized", refusals.join("; "));
  return { user: ANONYMOUS };
}

function credentialsOf(request: HttpRequest): Credentials {
  const bearerToken = bearerTokenOf(headerValue(request.headers, "authorization"));
  return { peerCertificates: request.peerCertificates, bearerToken };
}

/** Add system:authenticated to every authenticated user exactly once, and never to system:anonymous. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}

// TokenReview: which user does a token belong to, and which audiences is it for? Only tokens are reviewed, never
// certificates.

interface ShownToken {
  readonly token: string;
  /** Empty: the audiences of this server. */
  readonly audiences: readonly string[];
  readonly nowMs: number;
}

export function reviewToken(authenticators: readonly Authenticator[], shown: ShownToken): TokenVerdict {
  const audiences = shown.audiences.length === 0 ? undefined : shown.audiences;
  const credentials = { peerCertificates: [], bearerToken: shown.token, audiences };
  const refusals: string[] = [];
  for (const authenticator of authenticators) {
    const result = authenticator.authenticate(credentials, shown.nowMs);
    if (result.kind === "refused") refusals.push(result.reason);
    // A captured discovery JWT must not authenticate its sender to a service that reviews tokens here: it is only for
    // one answer of this server.
    if (result.kind !== "user" || result.replyKey !== undefined) continue;
    return { authenticated: true, user: withAuthenticatedGroup(result.user), audiences: result.audiences ?? [] };
  }
  return { authenticated: false, error: toldTogether([INVALID, ...refusals]) };
}

const INVALID = "invalid bearer token";

/** Several errors are put in brackets, as Go's aggregate writes them. */
function toldTogether(errors: readonly string[]): string {
  return errors.length === 1 ? errors.join("") : `[${errors.join(", ")}]`;
}
