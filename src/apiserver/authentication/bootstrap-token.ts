// Bootstrap tokens: `<id>.<secret>` against the Secret kube-system/bootstrap-token-<id>. Every mismatch is a silent
// "not mine", which ends as 401: which check failed is nobody's business who does not hold the token.
// Behaviour of kubernetes/plugin/pkg/auth/authenticator/token/bootstrap.

import {
  discoveryUser,
  isExpired,
  isToken,
  parseDiscoveryJwt,
  parseToken,
  readTokenSecret,
  refuseDiscoveryJwt,
  tokenSecretName,
} from "../../api/bootstrap/index.ts";
import { BOOTSTRAP_USER_PREFIX } from "../../api/certificates/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { encodeUtf8, equalBytes } from "../../kernel/bytes/index.ts";
import { type Authenticator, NOT_MINE } from "./authenticator.ts";

interface BootstrapTokenOptions {
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

// The JWT of a client that is about to find out whom it talks to (seed 004). Keys are looked up by the id that the JWT
// names, never searched for. It is replayable until it ends, two minutes at most, and for what stage.ts lets it: reading
// cluster-info, signed for the holder of the token. Every mismatch is a silent "not mine", as for the token itself.

/** The secret of the token with this id, if it may sign for discovery now. */
type FindSecret = (id: string, nowMs: number) => string | undefined;

interface DiscoveryJwtOptions {
  /** Asked in order. */
  readonly sources: readonly FindSecret[];
  readonly clusterId: string | undefined;
}

export function createDiscoveryJwtAuthenticator({ sources, clusterId }: DiscoveryJwtOptions): Authenticator {
  return {
    name: "discovery-jwt",
    authenticate: ({ bearerToken = "" }, nowMs) => {
      const jwt = parseDiscoveryJwt(bearerToken);
      if (jwt === undefined) return NOT_MINE;
      for (const find of sources) {
        const secret = find(jwt.keyId, nowMs);
        if (secret === undefined || refuseDiscoveryJwt(jwt, { secret, nowMs, clusterId }) !== undefined) continue;
        const replyKey = { token: { id: jwt.keyId, secret }, jwt: bearerToken };
        return { kind: "user", user: discoveryUser(jwt.keyId), replyKey };
      }
      return NOT_MINE;
    },
  };
}

/** Bootstrap tokens that may sign: what such a JWT opens is what cluster-info's signatures are for. */
export function createTokenSecretSource({ getSecret }: BootstrapTokenOptions): FindSecret {
  return (id, nowMs) => {
    const object = getSecret(tokenSecretName(id));
    const stored = object === undefined ? undefined : readTokenSecret(object);
    return stored?.maySign === true && !isExpired(stored, nowMs) ? stored.secret : undefined;
  };
}
