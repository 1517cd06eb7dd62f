// Bootstrap tokens: `<id>.<secret>` compared with the Secret kube-system/bootstrap-token-<id>. Every mismatch is
// "none", which ends as 401: the caller does not learn which check failed. Behaviour of
// kubernetes/plugin/pkg/auth/authenticator/token/bootstrap.

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

// The JWT of a client that cannot verify this server yet (super simple discovery API). Keys are looked up by the id
// that the JWT names, never searched for. It can be replayed until it expires, two minutes at most, and only for what
// stage.ts permits: reading cluster-info, signed for the holder of the token. Every mismatch is "none", as for the
// token itself.

/** The secret of the token with this id, if it may sign for discovery now. */
type FindSecret = (id: string, nowMs: number) => string | undefined;

interface DiscoveryJwtOptions {
  /** Queried in order. */
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

/** Bootstrap tokens that may sign: such a JWT opens what the signatures of cluster-info are for. */
export function createTokenSecretSource({ getSecret }: BootstrapTokenOptions): FindSecret {
  return (id, nowMs) => {
    const object = getSecret(tokenSecretName(id));
    const stored = object === undefined ? undefined : readTokenSecret(object);
    return stored?.maySign === true && !isExpired(stored, nowMs) ? stored.secret : undefined;
  };
}
