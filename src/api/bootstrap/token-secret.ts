// The Secret that makes a bootstrap token valid, as kubeadm writes it and as the API server's authenticator and the
// cluster-info signer read it. Pure. Upstream: k8s.io/cluster-bootstrap, token/util and util/secrets.

import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { BOOTSTRAPPERS_GROUP } from "../certificates/index.ts";
import type { Secret } from "../core/index.ts";
import type { BootstrapToken } from "./token.ts";

export const TOKEN_NAMESPACE = "kube-system";
export const TOKEN_SECRET_TYPE = "bootstrap.kubernetes.io/token";
/** The group to which kubeadm binds the right to create requests. */
export const DEFAULT_TOKEN_GROUP = "system:bootstrappers:kubeadm:default-node-token";

const NAME_PREFIX = "bootstrap-token-";
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** What a token may be used for. */
export const TOKEN_USAGES = ["signing", "authentication"] as const;
export type TokenUsage = (typeof TOKEN_USAGES)[number];

export interface TokenSecretOptions {
  readonly nowMs: number;
  /** Absent: the token never expires. */
  readonly ttlMs?: number | undefined;
  readonly groups?: readonly string[] | undefined;
  /** Default: all. */
  readonly usages?: readonly TokenUsage[] | undefined;
  readonly description?: string | undefined;
}

export function buildTokenSecret(token: BootstrapToken, options: TokenSecretOptions): Secret {
  const { nowMs, ttlMs, groups = [DEFAULT_TOKEN_GROUP], usages = TOKEN_USAGES, description } = options;
  const wrong = groups.find((group) => !GROUP.test(group));
  if (wrong !== undefined) {
    throw new Fault("invalid", `group ${JSON.stringify(wrong)} is not of the form system:bootstrappers:<name>`);
  }
  const values: Record<string, string> = {
    "token-id": token.id,
    "token-secret": token.secret,
    ...Object.fromEntries(usages.map((usage) => [`usage-bootstrap-${usage}`, "true"])),
    ...(groups.length === 0 ? {} : { "auth-extra-groups": groups.join(",") }),
    ...(ttlMs === undefined ? {} : { expiration: encodeSeconds(nowMs + ttlMs) }),
    ...(description === undefined ? {} : { description }),
  };
  const data = Object.entries(values).map(([key, value]) => [key, encodeBase64(encodeUtf8(value))]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: TOKEN_NAMESPACE, name: tokenSecretName(token.id) },
    type: TOKEN_SECRET_TYPE,
    data: Object.fromEntries(data),
  };
}

/** A token as its Secret tells it. The secret part is to be compared in constant time. */
export interface StoredToken extends BootstrapToken {
  /** Absent: never. */
  readonly expiresMs: number | undefined;
  readonly maySign: boolean;
  readonly mayAuthenticate: boolean;
  /** Empty when there is none. */
  readonly description: string;
  /**
   * Sorted, with the group of all bootstrappers; undefined when one is not allowed, which spoils the token for login.
   */
  readonly groups: readonly string[] | undefined;
}

/** Undefined for whatever is not a living token; such Secrets are mistakes of their writers, not faults. */
export function readTokenSecret(object: Secret): StoredToken | undefined {
  const id = readValue(object, "token-id");
  const secret = readValue(object, "token-secret");
  if (!id || !secret || object.type !== TOKEN_SECRET_TYPE || object.metadata.name !== tokenSecretName(id))
    return undefined;
  if (!/^[a-z0-9]{6}$/.test(id) || object.metadata.deletionTimestamp !== undefined) return undefined;
  return {
    id,
    secret,
    expiresMs: readExpiration(object),
    maySign: readValue(object, "usage-bootstrap-signing") === "true",
    mayAuthenticate: readValue(object, "usage-bootstrap-authentication") === "true",
    description: readValue(object, "description") ?? "",
    groups: readGroups(readValue(object, "auth-extra-groups")),
  };
}

/**
 * When a token's Secret ends, whatever else is wrong with it. Undefined: never. An end that cannot be read has passed.
 */
export function readExpiration(object: Secret): number | undefined {
  const text = readValue(object, "expiration");
  return text === undefined || text === "" ? undefined : parseSeconds(text);
}

/** The end itself is past the end, as upstream. */
export function isExpired({ expiresMs }: StoredToken, nowMs: number): boolean {
  return expiresMs !== undefined && expiresMs <= nowMs;
}

export function tokenSecretName(id: string): string {
  return `${NAME_PREFIX}${id}`;
}

function readGroups(extra: string | undefined): readonly string[] | undefined {
  const groups = new Set([BOOTSTRAPPERS_GROUP]);
  for (const group of extra === undefined || extra === "" ? [] : extra.split(",")) {
    if (!GROUP.test(group)) return undefined;
    groups.add(group);
  }
  return [...groups].sort();
}

function readValue({ data }: Secret, key: string): string | undefined {
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) return undefined;
  try {
    return parseUtf8(parseBase64(value));
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function encodeSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** An end that cannot be read has passed: a typing mistake must not make a token immortal. */
function parseSeconds(text: string): number {
  const ms = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}
