// The second proof: a token that the platform gives to this instance only, for this audience and for minutes. The
// audience is the digest of the request, so the token is worthless for any other key, node, cluster or purpose.
import { verify } from "node:crypto";
import { type PlatformKeys, parseJson } from "./document.ts";

interface InstanceToken {
  readonly instanceId: string;
  readonly audience: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
}

export function audienceOf(digest: Uint8Array): string {
  return `countersign.dev/${Buffer.from(digest).toString("hex")}`;
}

/** A JSON web token with RS256, by one of the platform's keys; undefined where it is none. */
export function readToken(text: string, keys: PlatformKeys): InstanceToken | undefined {
  const parts = text.split(".").map(parseBase64Url);
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || header === undefined || claims === undefined || signature === undefined) return undefined;
  const { alg, kid } = parseJson(header) ?? {};
  const key = alg === "RS256" && typeof kid === "string" ? keys.get(kid) : undefined;
  const signed = Buffer.from(text.slice(0, text.lastIndexOf(".")), "ascii");
  if (key === undefined || !verify("sha256", signed, key, signature)) return undefined;
  return readClaims(parseJson(claims) ?? {});
}

function readClaims({ sub, aud, iat, exp }: Readonly<Record<string, unknown>>): InstanceToken | undefined {
  if (typeof sub !== "string" || typeof aud !== "string") return undefined;
  if (!isSeconds(iat) || !isSeconds(exp)) return undefined;
  return { instanceId: sub, audience: aud, issuedMs: iat * 1_000, expiresMs: exp * 1_000 };
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** In its one spelling: other tail bits would be another text of the same token. */
function parseBase64Url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
