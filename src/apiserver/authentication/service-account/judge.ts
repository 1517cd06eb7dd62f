// May a service account's token still be used? In this order, as kubernetes/pkg/serviceaccount/{claims,legacy}.go:
// - bound: not expired, begun, issued in the past (a minute of leeway); the account is live; the Secret, Pod or Node
//   that the token is bound to is live. A Node is checked only when there is no Pod: the Pod goes first.
// - legacy: the Secret holds exactly this token and is not invalidated; the account is live.
// Live: stored under the same uid, and not being deleted for more than a minute. Pure.

import type { Secret } from "../../../api/core/index.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import { encodeBase64, encodeUtf8, equalBytes } from "../../../kernel/bytes/index.ts";
import type { BoundClaims, LegacyClaims, Reference } from "./claims.ts";

/** Clocks differ, and a pod needs its token while it shuts down. */
const LEEWAY_MS = 60_000;

/** A Secret with this label was found to be unused for a year. */
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

const INVALIDATED = "service account token has been invalidated";

/** Why the token is refused; undefined when it is good. */
export function judgeBound(facts: BoundFacts): string | undefined {
  const { claims, nowMs } = facts;
  return (
    timeProblem(facts) ??
    lifeProblem(facts.serviceAccount, claims.serviceAccount, nowMs) ??
    (claims.secret === undefined ? undefined : lifeProblem(facts.secret, claims.secret, nowMs)) ??
    (claims.pod === undefined ? undefined : lifeProblem(facts.pod, claims.pod, nowMs)) ??
    nodeProblem(facts)
  );
}

function timeProblem({ claims, nowMs }: BoundFacts): string | undefined {
  if (nowMs > claims.expires * 1_000 + LEEWAY_MS) return "service account token has expired";
  if (nowMs + LEEWAY_MS < claims.notBefore * 1_000) return "service account token is not valid yet";
  if (nowMs + LEEWAY_MS < claims.issuedAt * 1_000) return "service account token is issued in the future";
  return undefined;
}

function nodeProblem({ claims, node, nowMs }: BoundFacts): string | undefined {
  if (claims.node === undefined || claims.pod !== undefined) return undefined;
  return lifeProblem(node, claims.node, nowMs);
}

function lifeProblem(stored: KubeObject | undefined, wanted: Reference, nowMs: number): string | undefined {
  if (stored === undefined) return INVALIDATED;
  const { uid = "", deletionTimestamp } = stored.metadata;
  if (uid !== wanted.uid) return `${stored.kind} UID does not match claim`;
  const isGone = deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + LEEWAY_MS < nowMs;
  return isGone ? INVALIDATED : undefined;
}

export function judgeLegacy({ claims, token, secret, serviceAccount }: LegacyFacts): string | undefined {
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return INVALIDATED;
  const held = secret.data?.["token"] ?? "";
  if (!equalBytes(encodeUtf8(held), encodeUtf8(encodeBase64(encodeUtf8(token))))) {
    return "service account token does not match its secret";
  }
  if (serviceAccount === undefined || serviceAccount.metadata.deletionTimestamp !== undefined) return INVALIDATED;
  if (serviceAccount.metadata.uid !== claims.serviceAccount.uid) return "ServiceAccount UID does not match claim";
  return (secret.metadata.labels?.[INVALID_SINCE] ?? "") === "" ? undefined : INVALIDATED;
}

// Everything the judgement of a service account's token may know: the claims, whose signature has been verified, and
// the stored objects they name.

export interface BoundFacts {
  readonly nowMs: number;
  readonly claims: BoundClaims;
  /** Undefined: not stored. */
  readonly serviceAccount: KubeObject | undefined;
  readonly pod: KubeObject | undefined;
  readonly secret: KubeObject | undefined;
  readonly node: KubeObject | undefined;
}

export interface LegacyFacts {
  readonly claims: LegacyClaims;
  readonly token: string;
  readonly serviceAccount: KubeObject | undefined;
  readonly secret: Secret | undefined;
}
