// A TokenReview's question: whose token is this, and whom is it meant for? Only tokens are reviewed, never certificates.

import type { TokenVerdict } from "../resources/review.ts";
import type { Authenticator } from "./authenticator.ts";
import { withAuthenticatedGroup } from "./stage.ts";

export interface ShownToken {
  readonly token: string;
  /** Empty: those of this server. */
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
    // Whoever captured a discovery JWT must not pass for somebody at those who ask here; it is for one answer of ours.
    if (result.kind !== "user" || result.replyKey !== undefined) continue;
    return { authenticated: true, user: withAuthenticatedGroup(result.user), audiences: result.audiences ?? [] };
  }
  return { authenticated: false, error: toldTogether([INVALID, ...refusals]) };
}

const INVALID = "invalid bearer token";

/** Several errors stand in brackets, as Go's aggregate writes them. */
function toldTogether(errors: readonly string[]): string {
  return errors.length === 1 ? errors.join("") : `[${errors.join(", ")}]`;
}
