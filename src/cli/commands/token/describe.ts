// A token as people and scripts see it. The secret is shown by `create` and `show`, which are asked for it, and nowhere else.

import { encodeToken, isExpired, type StoredToken } from "../../../api/bootstrap/index.ts";
import { BOOTSTRAPPERS_GROUP } from "../../../api/certificates/index.ts";

export interface TokenDescription {
  readonly id: string;
  readonly token?: string;
  readonly description: string;
  /** RFC 3339; null: never. */
  readonly expires: string | null;
  readonly usages: readonly string[];
  readonly groups: readonly string[];
}

export function describeToken(token: StoredToken, { withSecret }: { readonly withSecret: boolean }): TokenDescription {
  const { id, description, expiresMs, maySign, mayAuthenticate, groups = [] } = token;
  return {
    id,
    ...(withSecret ? { token: encodeToken(token) } : {}),
    description,
    expires: expiresMs === undefined ? null : new Date(expiresMs).toISOString().replace(/\.\d+Z$/, "Z"),
    usages: [...(mayAuthenticate ? ["authentication"] : []), ...(maySign ? ["signing"] : [])],
    groups: groups.filter((group) => group !== BOOTSTRAPPERS_GROUP),
  };
}

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** How long it still lives, in one unit: `23h`, `<forever>`, `<over>`. */
export function timeLeft(token: StoredToken, nowMs: number): string {
  if (token.expiresMs === undefined) return "<forever>";
  if (isExpired(token, nowMs)) return "<over>";
  const leftMs = token.expiresMs - nowMs;
  // As kubeadm: days only when there are two of them.
  const [unit, ms] = UNITS.find(([name, size]) => leftMs >= (name === "d" ? 2 * size : size)) ?? ["s", 1_000];
  return `${Math.floor(leftMs / ms)}${unit}`;
}
