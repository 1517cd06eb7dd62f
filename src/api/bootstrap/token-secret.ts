// The Secret that makes a bootstrap token valid, as kubeadm writes it and as the API server's authenticator and the
// cluster-info signer read it. Pure. Upstream: k8s.io/cluster-bootstrap, token/util and util/secrets.

import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Secret } from "../core/index.ts";
import type { BootstrapToken } from "./token.ts";

export const TOKEN_NAMESPACE = "kube-system";
export const TOKEN_SECRET_TYPE = "bootstrap.kubernetes.io/token";
/** The group to which kubeadm binds the right to create requests. */
export const DEFAULT_TOKEN_GROUP = "system:bootstrappers:kubeadm:default-node-token";

const NAME_PREFIX = "bootstrap-token-";
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export interface TokenSecretOptions {
  readonly nowMs: number;
  /** Absent: the token never expires. */
  readonly ttlMs?: number | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

export function buildTokenSecret(token: BootstrapToken, options: TokenSecretOptions): Secret {
  const { nowMs, ttlMs, groups = [DEFAULT_TOKEN_GROUP], description } = options;
  const wrong = groups.find((group) => !GROUP.test(group));
  if (wrong !== undefined) {
    throw new Fault("invalid", `group ${JSON.stringify(wrong)} is not of the form system:bootstrappers:<name>`);
  }
  const values: Record<string, string> = {
    "token-id": token.id,
    "token-secret": token.secret,
    "usage-bootstrap-authentication": "true",
    "usage-bootstrap-signing": "true",
    "auth-extra-groups": groups.join(","),
    ...(ttlMs === undefined ? {} : { expiration: encodeSeconds(nowMs + ttlMs) }),
    ...(description === undefined ? {} : { description }),
  };
  const data = Object.entries(values).map(([key, value]) => [key, encodeBase64(encodeUtf8(value))]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: TOKEN_NAMESPACE, name: `${NAME_PREFIX}${token.id}` },
    type: TOKEN_SECRET_TYPE,
    data: Object.fromEntries(data),
  };
}

/** A token that may sign cluster-info, until it expires. */
export interface SigningToken extends BootstrapToken {
  /** Absent: never. */
  readonly expiresMs: number | undefined;
}

/** Undefined for whatever is not a token for signing; such Secrets are somebody's mistake, not an accident of ours. */
export function readSigningToken(object: Secret): SigningToken | undefined {
  const id = readValue(object, "token-id");
  const secret = readValue(object, "token-secret");
  if (!id || !secret || object.type !== TOKEN_SECRET_TYPE || object.metadata.name !== `${NAME_PREFIX}${id}`) {
    return undefined;
  }
  if (!/^[a-z0-9]{6}$/.test(id) || readValue(object, "usage-bootstrap-signing") !== "true") return undefined;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const expiration = readValue(object, "expiration");
  return {
    id,
    secret,
    expiresMs: expiration === undefined || expiration === "" ? undefined : parseSeconds(expiration),
  };
}

function readValue({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  if (value === undefined) return undefined;
  try {
    return parseUtf8(parseBase64(value));
  } catch (error) {
    if (isFault(error, "malformed")) return undefined;
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
