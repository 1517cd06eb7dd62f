// Bootstrap tokens: `<id>.<secret>` against the Secret kube-system/bootstrap-token-<id>. Every mismatch is a silent
// "not mine", which ends as 401: which check failed is nobody's business who does not hold the token.
// Behaviour of kubernetes/plugin/pkg/auth/authenticator/token/bootstrap.

import { BOOTSTRAP_USER_PREFIX, BOOTSTRAPPERS_GROUP } from "../../api/certificates/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { encodeUtf8, equalBytes, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type Authentication, type Authenticator, NOT_MINE } from "./authenticator.ts";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const SECRET_TYPE = "bootstrap.kubernetes.io/token";

export interface BootstrapTokenOptions {
  /** A Secret of kube-system, or undefined. */
  readonly getSecret: (name: string) => Secret | undefined;
}

export function createBootstrapTokenAuthenticator(options: BootstrapTokenOptions): Authenticator {
  return {
    name: "bootstrap-token",
    authenticate: ({ bearerToken }, nowMs) => {
      const match = TOKEN.exec(bearerToken ?? "");
      if (match === null) return NOT_MINE;
      const [, id = "", secret = ""] = match;
      return judge(options.getSecret(`bootstrap-token-${id}`), { id, secret, nowMs });
    },
  };
}

function judge(stored: Secret | undefined, token: { id: string; secret: string; nowMs: number }): Authentication {
  if (stored === undefined || stored.type !== SECRET_TYPE) return NOT_MINE;
  if (stored.metadata.deletionTimestamp !== undefined) return NOT_MINE;
  const read = (key: string) => readValue(stored, key);
  const isSame = equalBytes(encodeUtf8(read("token-secret") ?? ""), encodeUtf8(token.secret));
  if (!isSame || read("token-id") !== token.id) return NOT_MINE;
  if (isExpired(read("expiration"), token.nowMs)) return NOT_MINE;
  if (read("usage-bootstrap-authentication") !== "true") return NOT_MINE;
  const groups = groupsOf(read("auth-extra-groups"));
  if (groups === undefined) return NOT_MINE;
  return { kind: "user", user: { username: `${BOOTSTRAP_USER_PREFIX}${token.id}`, groups } };
}

function readValue(secret: Secret, key: string): string | undefined {
  const value = secret.data !== undefined && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (value === undefined) return undefined;
  try {
    return parseUtf8(parseBase64(value));
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** A time that cannot be read counts as passed: better a join that fails than a token that lives for ever. */
function isExpired(expiration: string | undefined, nowMs: number): boolean {
  if (expiration === undefined || expiration === "") return false;
  return !RFC3339.test(expiration) || !(Date.parse(expiration) > nowMs);
}

/** Sorted and without repetition; undefined when one is not allowed, which rejects the whole token. */
function groupsOf(extra: string | undefined): readonly string[] | undefined {
  const groups = new Set([BOOTSTRAPPERS_GROUP]);
  for (const group of extra === undefined || extra === "" ? [] : extra.split(",")) {
    if (!EXTRA_GROUP.test(group)) return undefined;
    groups.add(group);
  }
  return [...groups].sort();
}
