// The JWT of a client that is about to find out whom it talks to (seed 004). Keys are looked up by the id that the JWT
// names, never searched for. It is replayable until it ends, two minutes at most, and for what stage.ts lets it: reading
// cluster-info, signed for the holder of the token. Every mismatch is a silent "not mine", as for the token itself.

import {
  discoveryUser,
  isExpired,
  parseDiscoveryJwt,
  readTokenSecret,
  refuseDiscoveryJwt,
  tokenSecretName,
} from "../../api/bootstrap/index.ts";
import { type Authenticator, NOT_MINE } from "./authenticator.ts";
import type { BootstrapTokenOptions } from "./bootstrap-token.ts";

/** The secret of the token with this id, if it may sign for discovery now. */
export type FindSecret = (id: string, nowMs: number) => string | undefined;

export interface DiscoveryJwtOptions {
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
