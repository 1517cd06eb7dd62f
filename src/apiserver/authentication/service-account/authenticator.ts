// Service account tokens: verify, gather, judge. A token of another issuer is "none"; one of ours that is bad in any
// way is refused and not passed on to other authenticators. Behaviour of kubernetes/pkg/serviceaccount/jwt.go.

import { CREDENTIAL_ID, type UserInfo } from "../../../api/access/index.ts";
import type { Secret } from "../../../api/core/index.ts";
import { type KubeObject, NODES, PODS, type Resource, SECRETS, SERVICE_ACCOUNTS } from "../../../api/meta/index.ts";
import { decodeUnverifiedJwt, hasJwtForm, type UnverifiedJwt, verifyJwt } from "../../../kernel/jose/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { PublicKey } from "../../../kernel/x509/index.ts";
import { type Authentication, type Authenticator, NOT_MINE } from "../authenticator.ts";
import {
  type BoundClaims,
  LEGACY_ISSUER,
  type LegacyClaims,
  type Reference,
  readBoundClaims,
  readLegacyClaims,
  serviceAccountUser,
} from "./claims.ts";
import type { TokenKeys } from "./issuer.ts";
import { type BoundFacts, judgeBound, judgeLegacy, type LegacyFacts } from "./judge.ts";

interface ServiceAccountOptions {
  readonly keys: TokenKeys;
  /** The first signs; the tokens of all are accepted. */
  readonly issuers: readonly string[];
  /** A token must be for one of these audiences to be used here. */
  readonly audiences: readonly string[];
  readonly get: GetObject;
}

interface Verified {
  readonly jwt: UnverifiedJwt;
  readonly token: string;
  /** The audiences that are asked about. */
  readonly wanted: readonly string[];
  readonly nowMs: number;
}

export function createServiceAccountAuthenticator(options: ServiceAccountOptions): Authenticator {
  return {
    name: "service-account",
    authenticate: ({ bearerToken: token = "", audiences: wanted = options.audiences }, nowMs) => {
      const jwt = decode(token);
      const issuer = jwt?.claims["iss"];
      const isLegacy = issuer === LEGACY_ISSUER;
      if (jwt === undefined || (!isLegacy && !options.issuers.some((one) => one === issuer))) return NOT_MINE;
      if (!isSigned(jwt, options.keys)) return refused("invalid signature");
      const verified = { jwt, token, wanted, nowMs };
      return isLegacy ? authenticateLegacy(verified, options) : authenticateBound(verified, options);
    },
  };
}

/**
 * Undefined for what is not a JWT of a known algorithm: another authenticator may recognize it, else it ends as 401.
 */
function decode(token: string): UnverifiedJwt | undefined {
  if (!hasJwtForm(token)) return undefined;
  try {
    return decodeUnverifiedJwt(token);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** With a key id only that key is tried: a token names the key to look up, never how it is verified. */
function isSigned(jwt: UnverifiedJwt, { publicKeys }: TokenKeys): boolean {
  const named = jwt.keyId === undefined ? [...publicKeys.values()] : [publicKeys.get(jwt.keyId)];
  return named.some((key: PublicKey | undefined) => key !== undefined && verifyJwt(jwt, key));
}

function refused(reason: string): Authentication {
  return { kind: "refused", reason };
}

function authenticateBound({ jwt, wanted, nowMs }: Verified, options: ServiceAccountOptions): Authentication {
  const claims = readBoundClaims(jwt.claims);
  if (claims === undefined) return refused("service account token claims are incomplete");
  const audiences = wanted.filter((one) => claims.audiences.includes(one));
  if (audiences.length === 0) {
    return refused(`token audiences ${shown(claims.audiences)} is invalid for the target audiences ${shown(wanted)}`);
  }
  const problem = judgeBound(gatherBound(claims, options.get, nowMs));
  if (problem !== undefined) return refused(problem);
  return { kind: "user", user: userOf(claims.namespace, claims.serviceAccount, extraOf(claims)), audiences };
}

/** A legacy token names no audience: it is for this server. */
function authenticateLegacy({ jwt, token, wanted }: Verified, options: ServiceAccountOptions): Authentication {
  const claims = readLegacyClaims(jwt.claims);
  if (claims === undefined) return refused("service account token claims are incomplete");
  const audiences = wanted.filter((one) => options.audiences.includes(one));
  if (audiences.length === 0) {
    const meant = shown(options.audiences);
    return refused(`token audiences ${meant} is invalid for the target audiences ${shown(wanted)}`);
  }
  const problem = judgeLegacy(gatherLegacy(claims, options.get, token));
  if (problem !== undefined) return refused(problem);
  return { kind: "user", user: userOf(claims.namespace, claims.serviceAccount, undefined), audiences };
}

function shown(audiences: readonly string[]): string {
  return `[${audiences.map((one) => JSON.stringify(one)).join(" ")}]`;
}

function userOf(namespace: string, { name, uid }: Reference, extra: UserInfo["extra"]): UserInfo {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return { username: serviceAccountUser(namespace, name), uid, groups, ...(extra === undefined ? {} : { extra }) };
}

function extraOf({ id, pod, node }: BoundClaims): UserInfo["extra"] {
  const one = (key: string, value: string | undefined) =>
    value ? { [`authentication.kubernetes.io/${key}`]: [value] } : {};
  return {
    ...(id === "" ? {} : { [CREDENTIAL_ID]: [`JTI=${id}`] }),
    ...one("node-name", node?.name),
    ...one("node-uid", node?.uid),
    ...one("pod-name", pod?.name),
    ...one("pod-uid", pod?.uid),
  };
}

// A verified token's claims -> the facts its judgement needs: the stored objects it names, read now. Nothing is cached,
// so a deleted account, Secret or Pod ends its tokens with the next request.

/** An object of storage, or undefined. */
type GetObject = (
  resource: Resource,
  place: { readonly namespace?: string | undefined; readonly name: string },
) => KubeObject | undefined;

function gatherBound(claims: BoundClaims, get: GetObject, nowMs: number): BoundFacts {
  const { namespace } = claims;
  const read = (resource: Resource, one: Reference | undefined) =>
    one === undefined ? undefined : get(resource, { namespace: resource.namespaced ? namespace : "", name: one.name });
  return {
    nowMs,
    claims,
    serviceAccount: read(SERVICE_ACCOUNTS, claims.serviceAccount),
    pod: read(PODS, claims.pod),
    secret: read(SECRETS, claims.secret),
    node: read(NODES, claims.node),
  };
}

function gatherLegacy(claims: LegacyClaims, get: GetObject, token: string): LegacyFacts {
  const { namespace, serviceAccount, secretName } = claims;
  return {
    claims,
    token,
    serviceAccount: get(SERVICE_ACCOUNTS, { namespace, name: serviceAccount.name }),
    secret: get(SECRETS, { namespace, name: secretName }) as Secret | undefined,
  };
}
