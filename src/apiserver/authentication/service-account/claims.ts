// The claims of a service account's token. Bound tokens come from TokenRequest, expire, and name the object they are
// bound to; legacy ones are kept in a Secret and do not expire. Claim names of
// kubernetes/pkg/serviceaccount/{claims,legacy}.go. Pure.

import type { JwtClaims } from "../../../kernel/jose/index.ts";

export const LEGACY_ISSUER = "kubernetes/serviceaccount";
export const SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:";

const PRIVATE = "kubernetes.io";
const LEGACY = "kubernetes.io/serviceaccount";

/** Name and uid: an object that was deleted and made again has the same name. */
export interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface BoundClaims {
  readonly kind: "bound";
  readonly namespace: string;
  readonly serviceAccount: Reference;
  readonly pod?: Reference | undefined;
  readonly secret?: Reference | undefined;
  /** The uid is empty when the pod's Node did not exist. */
  readonly node?: Reference | undefined;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expires: number;
  readonly id: string;
  readonly warnAfter?: number | undefined;
}

export interface LegacyClaims {
  readonly kind: "legacy";
  readonly namespace: string;
  readonly serviceAccount: Reference;
  readonly secretName: string;
}

export function serviceAccountUser(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;
}

export function encodeBoundClaims(claims: BoundClaims, issuer: string): JwtClaims {
  const { namespace, serviceAccount, pod, secret, node, warnAfter } = claims;
  return {
    iss: issuer,
    sub: serviceAccountUser(namespace, serviceAccount.name),
    aud: claims.audiences,
    iat: claims.issuedAt,
    nbf: claims.notBefore,
    exp: claims.expires,
    jti: claims.id,
    [PRIVATE]: {
      namespace,
      serviceaccount: serviceAccount,
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      ...(node === undefined ? {} : { node: node.uid === "" ? { name: node.name } : node }),
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
  };
}

export function encodeLegacyClaims({ namespace, serviceAccount, secretName }: Omit<LegacyClaims, "kind">): JwtClaims {
  return {
    iss: LEGACY_ISSUER,
    sub: serviceAccountUser(namespace, serviceAccount.name),
    [`${LEGACY}/namespace`]: namespace,
    [`${LEGACY}/secret.name`]: secretName,
    [`${LEGACY}/service-account.name`]: serviceAccount.name,
    [`${LEGACY}/service-account.uid`]: serviceAccount.uid,
  };
}

/**
 * Undefined when a claim is missing, of another type, or does not fit the subject: the signature alone does not make it
 * one of our tokens.
 */
export function readLegacyClaims(claims: JwtClaims): LegacyClaims | undefined {
  const namespace = textOf(claims[`${LEGACY}/namespace`]);
  const name = textOf(claims[`${LEGACY}/service-account.name`]);
  const uid = textOf(claims[`${LEGACY}/service-account.uid`]);
  const secretName = textOf(claims[`${LEGACY}/secret.name`]);
  if (namespace === "" || name === "" || uid === "" || secretName === "") return undefined;
  if (claims["sub"] !== serviceAccountUser(namespace, name)) return undefined;
  return { kind: "legacy", namespace, serviceAccount: { name, uid }, secretName };
}

/** Undefined as above. Times are in seconds, as in the token. */
export function readBoundClaims(claims: JwtClaims): BoundClaims | undefined {
  const own = recordOf(claims[PRIVATE]);
  const namespace = textOf(own["namespace"]);
  const serviceAccount = referenceOf(own["serviceaccount"]);
  if (namespace === "" || serviceAccount === undefined) return undefined;
  if (claims["sub"] !== serviceAccountUser(namespace, serviceAccount.name)) return undefined;
  const [issuedAt, notBefore, expires] = [claims["iat"], claims["nbf"], claims["exp"]];
  const audiences = audiencesOf(claims["aud"]);
  if (!isTime(issuedAt) || !isTime(notBefore) || !isTime(expires) || audiences === undefined) return undefined;
  const bound = boundOf(own);
  if (bound === undefined) return undefined;
  const warnAfter = own["warnafter"];
  return {
    kind: "bound",
    namespace,
    serviceAccount,
    ...bound,
    audiences,
    issuedAt,
    notBefore,
    expires,
    id: textOf(claims["jti"]),
    ...(isTime(warnAfter) ? { warnAfter } : {}),
  };
}

type Bound = Pick<BoundClaims, "pod" | "secret" | "node">;

/** A binding that cannot be read is not the same as none: the token would outlive the object it is bound to. */
function boundOf(own: Readonly<Record<string, unknown>>): Bound | undefined {
  const [pod, secret] = [referenceOf(own["pod"]), referenceOf(own["secret"])];
  const node = own["node"] === undefined ? undefined : partsOf(own["node"]);
  if ((own["pod"] !== undefined && pod === undefined) || (own["secret"] !== undefined && secret === undefined)) {
    return undefined;
  }
  if (node !== undefined && node.name === "") return undefined;
  return { pod, secret, node };
}

function referenceOf(value: unknown): Reference | undefined {
  const { name, uid } = partsOf(value);
  return name === "" || uid === "" ? undefined : { name, uid };
}

function partsOf(value: unknown): Reference {
  const { name, uid } = recordOf(value);
  return { name: textOf(name), uid: textOf(uid) };
}

/** RFC 7519 §4.1.3: one string or a list of them. */
function audiencesOf(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}
