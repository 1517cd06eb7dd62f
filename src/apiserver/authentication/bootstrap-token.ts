// Bootstrap tokens: `<id>.<secret>` against the Secret kube-system/bootstrap-token-<id>. Every mismatch is a silent
// "not mine", which ends as 401: which check failed is nobody's business who does not hold the token.
// Behaviour of kubernetes/plugin/pkg/auth/authenticator/token/bootstrap.

import { isExpired, isToken, parseToken, readTokenSecret, tokenSecretName } from "../../api/bootstrap/index.ts";
import { BOOTSTRAP_USER_PREFIX } from "../../api/certificates/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { encodeUtf8, equalBytes } from "../../kernel/bytes/index.ts";
import { type Authenticator, NOT_MINE } from "./authenticator.ts";

export interface BootstrapTokenOptions {
  /** A Secret of kube-system, or undefined. */
  readonly getSecret: (name: string) => Secret | undefined;
}

export function createBootstrapTokenAuthenticator(options: BootstrapTokenOptions): Authenticator {
  return {
    name: "bootstrap-token",
    authenticate: ({ bearerToken = "" }, nowMs) => {
      if (!isToken(bearerToken)) return NOT_MINE;
      const { id, secret } = parseToken(bearerToken);
      const object = options.getSecret(tokenSecretName(id));
      const stored = object === undefined ? undefined : readTokenSecret(object);
      if (stored === undefined || !equalBytes(encodeUtf8(stored.secret), encodeUtf8(secret))) return NOT_MINE;
      if (isExpired(stored, nowMs) || !stored.mayAuthenticate || stored.groups === undefined) return NOT_MINE;
      return { kind: "user", user: { username: `${BOOTSTRAP_USER_PREFIX}${id}`, groups: stored.groups } };
    },
  };
}
