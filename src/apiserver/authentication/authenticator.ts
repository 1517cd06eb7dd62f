// Step 2, authenticate: one small interface, held by one contract suite (test/contract/authenticator.ts).
// "None" says the request carries nothing for this authenticator; "refused" says it carries something bad. The difference
// decides whether the caller may still be anonymous.

import type { UserInfo } from "../../api/access/index.ts";

export interface Credentials {
  /** DER, leaf first, not verified. */
  readonly peerCertificates: readonly Uint8Array[];
  readonly bearerToken: string | undefined;
}

export type Authentication =
  | { readonly kind: "user"; readonly user: UserInfo }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: string };

export interface Authenticator {
  readonly name: string;
  authenticate(credentials: Credentials, nowMs: number): Authentication;
}

export const NOT_MINE: Authentication = { kind: "none" };
