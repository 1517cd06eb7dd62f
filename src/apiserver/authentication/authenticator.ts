// Step 2, authenticate: one small interface, held by one contract suite (test/contract/authenticator.ts). "None": the
// request carries nothing for this authenticator. "Refused": it carries something bad. The difference decides whether
// the caller may still be anonymous.

import type { UserInfo } from "../../api/access/index.ts";
import type { ReplyKey } from "../../api/bootstrap/index.ts";

export interface Credentials {
  /** DER, leaf first, not verified. */
  readonly peerCertificates: readonly Uint8Array[];
  readonly bearerToken: string | undefined;
  /** The audiences that a TokenReview asks about, when they are not those of this server. */
  readonly audiences?: readonly string[] | undefined;
}

export type Authentication =
  /** `audiences` are those of the requested ones that the token is for. */
  | {
      readonly kind: "user";
      readonly user: UserInfo;
      readonly audiences?: readonly string[];
      /**
       * The caller knows this key and cannot verify this server yet: the answer is signed with it. Such a user may do
       * very little.
       */
      readonly replyKey?: ReplyKey;
    }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: string };

export interface Authenticator {
  readonly name: string;
  authenticate(credentials: Credentials, nowMs: number): Authentication;
}

export const NOT_MINE: Authentication = { kind: "none" };

/** Tokens without audiences are for this server only: for any other audience they are not recognized. */
export function forThisServer(authenticator: Authenticator, own: readonly string[]): Authenticator {
  return {
    name: authenticator.name,
    authenticate: (credentials, nowMs) => {
      const audiences = (credentials.audiences ?? own).filter((one) => own.includes(one));
      if (audiences.length === 0) return NOT_MINE;
      const result = authenticator.authenticate(credentials, nowMs);
      return result.kind === "user" ? { ...result, audiences } : result;
    },
  };
}
