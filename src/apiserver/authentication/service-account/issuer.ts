// Who signs service account tokens, for whom, and how the world can check them: the OpenID discovery documents.

import type { JwtClaims } from "../../../kernel/jose/index.ts";
import { algorithmFor, keySetOf, type TokenKeys } from "./keys.ts";

/** The name kubeadm gives every cluster's issuer. */
export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";

export interface TokenIssuer {
  readonly issuer: string;
  /** Whom tokens are for when the request names nobody: this server. */
  readonly audiences: readonly string[];
  sign(claims: JwtClaims): string;
}

export function createTokenIssuer(keys: TokenKeys, issuer: string): TokenIssuer {
  return { issuer, audiences: [issuer], sign: keys.sign };
}

export interface OpenIdDocument {
  readonly mediaType: string;
  readonly body: unknown;
}

/** Undefined where OpenID has no document, and for an issuer that is no https URL: relying parties could not find it. */
export function openIdDocument(
  path: string,
  of: { keys: TokenKeys; issuer: string; server: string },
): OpenIdDocument | undefined {
  const { keys, issuer, server } = of;
  if (!/^https:\/\/[^?#]+$/.test(issuer)) return undefined;
  if (path === "/openid/v1/jwks") return { mediaType: "application/jwk-set+json", body: keySetOf(keys) };
  if (path !== "/.well-known/openid-configuration") return undefined;
  const algorithms = new Set([...keys.publicKeys.values()].map(algorithmFor));
  const body = {
    issuer,
    jwks_uri: `${server}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...algorithms].sort(),
  };
  return { mediaType: "application/json", body };
}
