// The short-lived JWT that a client with a bootstrap token shows instead of the token (super simple discovery API, "JWT
// authentication"): what it says, for how long it is believed, and whom it makes of its holder. One text for the client
// that writes it and for the embedded server and the gateway that read it. Pure. It travels over a connection that the
// client does not trust yet, so an attacker in between has it too: it must never be worth more than answer-jws.ts
// allows.

import { parseHs256Jwt, signHs256Jwt, type UnverifiedHs256Jwt, verifyHs256Jwt } from "../../kernel/jose/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { UserInfo } from "../access/index.ts";
import type { BootstrapToken } from "./token.ts";

/** An `exp` further ahead is refused: it bounds for how long a captured JWT can be shown again. */
export const DISCOVERY_JWT_MAX_MS = 120_000;
/** What a client asks for: half of the window, so that its clock may be a minute off in either direction. */
const DISCOVERY_JWT_LIFETIME_MS = 60_000;
/** Clocks that are kept by NTP agree far better; a reader forgives this much at either end. */
export const DISCOVERY_JWT_LEEWAY_MS = 10_000;
/** The group of all users that such a JWT identified. */
const DISCOVERY_GROUP = "countersign:discovery";

/** With the id of a token it has 60; that of a service account's token, with the hash of a key, has 90. */
const MAX_HEADER_CHARACTERS = 80;

const USER_PREFIX = "countersign:discovery:";

interface DiscoveryJwtOptions {
  readonly nowMs: number;
  /** The cluster's id, when it is known. */
  readonly audience?: string | undefined;
  /**
   * `jti`, a random value: no two JWTs are alike, so an answer that is bound to one of them answers no other request.
   */
  readonly id?: string | undefined;
}

/** Claims `sub`, `iat`, `exp`; `aud` where the cluster is known, and `jti`. */
export function signDiscoveryJwt({ id, secret }: BootstrapToken, options: DiscoveryJwtOptions): string {
  const { nowMs, audience, id: jti } = options;
  const claims = {
    sub: id,
    ...(audience === undefined ? {} : { aud: audience }),
    iat: Math.floor(nowMs / 1_000),
    exp: Math.floor((nowMs + DISCOVERY_JWT_LIFETIME_MS) / 1_000),
    ...(jti === undefined ? {} : { jti }),
  };
  return signHs256Jwt({ keyId: id, secret, claims });
}

/**
 * Undefined for whatever is no such JWT: it may be a credential of another kind. The result is not verified.
 */
export function parseDiscoveryJwt(bearerToken: string): UnverifiedHs256Jwt | undefined {
  // Every credential passes here: only what begins with a short JSON object in base64url is looked at more closely.
  if (!bearerToken.startsWith("eyJ") || bearerToken.indexOf(".") > MAX_HEADER_CHARACTERS) return undefined;
  try {
    const jwt = parseHs256Jwt(bearerToken);
    return /^[a-z0-9]{6}$/.test(jwt.keyId) ? jwt : undefined;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

interface DiscoveryJwtFacts {
  readonly nowMs: number;
  /** The key that `kid` names. */
  readonly secret: string;
  /** Unknown: a JWT that is meant for one certain cluster is not believed. */
  readonly clusterId?: string | undefined;
}

/**
 * What is wrong with it, or undefined. In this order: the MAC (constant time); `sub` is the key's id; `exp` is there,
 * not past, and not more than two minutes ahead; `iat` and `nbf`, where they are, not in the future; `aud`, where it
 * is, names this cluster. Only a holder of the secret gets past the first.
 */
export function refuseDiscoveryJwt(jwt: UnverifiedHs256Jwt, facts: DiscoveryJwtFacts): string | undefined {
  if (!verifyHs256Jwt(jwt, facts.secret)) return "its signature is wrong";
  const { sub, exp, iat, nbf, aud } = jwt.claims as Readonly<Record<"sub" | "exp" | "iat" | "nbf" | "aud", unknown>>;
  if (sub !== jwt.keyId) return "its subject is not its key";
  return (
    refuseEnd(exp, facts.nowMs) ??
    refuseBeginning("iat", iat, facts.nowMs) ??
    refuseBeginning("nbf", nbf, facts.nowMs) ??
    refuseAudience(aud, facts.clusterId)
  );
}

function refuseEnd(exp: unknown, nowMs: number): string | undefined {
  if (!isSeconds(exp)) return "it has no end";
  const leftMs = exp * 1_000 - nowMs;
  if (leftMs <= -DISCOVERY_JWT_LEEWAY_MS) return "it has expired";
  if (leftMs > DISCOVERY_JWT_MAX_MS + DISCOVERY_JWT_LEEWAY_MS) return "it ends more than two minutes from now";
  return undefined;
}

function refuseBeginning(claim: string, value: unknown, nowMs: number): string | undefined {
  if (value === undefined) return undefined;
  if (!isSeconds(value)) return `its ${claim} is no time`;
  return value * 1_000 > nowMs + DISCOVERY_JWT_LEEWAY_MS ? `its ${claim} is in the future` : undefined;
}

function refuseAudience(aud: unknown, clusterId: string | undefined): string | undefined {
  if (aud === undefined) return undefined;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return clusterId !== undefined && named.includes(clusterId) ? undefined : "it is meant for another cluster";
}

/** A NumericDate of RFC 7519 §2 within the years that JavaScript can tell apart. */
function isSeconds(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1_000;
}

/**
 * Whom a JWT makes of its holder: a name that no role of Kubernetes knows, and none of the groups of the token itself.
 * A captured JWT must not ask for certificates, even where an API server knows only the name and not how it was proved.
 */
export function discoveryUser(tokenId: string): UserInfo {
  return { username: `${USER_PREFIX}${tokenId}`, groups: [DISCOVERY_GROUP] };
}
