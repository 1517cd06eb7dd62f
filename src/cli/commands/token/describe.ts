// A token for people and scripts. Only `create` and `show` print the secret.

import { encodeToken, isExpired, isToken, parseToken, type StoredToken } from "../../../api/bootstrap/index.ts";
import { BOOTSTRAPPERS_GROUP } from "../../../api/certificates/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { CommandArgument } from "../../command.ts";

interface TokenDescription {
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

/** The remaining life in one unit: `23h`, `<forever>`, `<over>`. */
export function timeLeft(token: StoredToken, nowMs: number): string {
  if (token.expiresMs === undefined) return "<forever>";
  if (isExpired(token, nowMs)) return "<over>";
  const leftMs = token.expiresMs - nowMs;
  // As kubeadm: days only when there are two of them.
  const [unit, ms] = UNITS.find(([name, size]) => leftMs >= (name === "d" ? 2 * size : size)) ?? ["s", 1_000];
  return `${Math.floor(leftMs / ms)}${unit}`;
}

export const TOKEN_ID_ARGUMENT: CommandArgument = {
  name: "<id>",
  description: "the first part of the token, or the whole",
};

/** A token is named by its id, or by the whole token, of which only the id is used. */
export function parseTokenId(text: string): string {
  if (isToken(text)) return parseToken(text).id;
  if (/^[a-z0-9]{6}$/.test(text)) return text;
  // The text is not repeated: what is almost a token is almost a secret.
  throw new Fault("bad-config", "a token is named by its id, six lower-case letters and digits, or by the whole token");
}
