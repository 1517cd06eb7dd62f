// The issuer of service account tokens, and the OpenID discovery documents by which relying parties verify them.

import {
  type JwtAlgorithm,
  type JwtClaims,
  jwkOf,
  jwtAlgorithmOf,
  keyIdOf,
  signJwt,
} from "../../../kernel/jose/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { parsePem } from "../../../kernel/pem/index.ts";
import { type PublicKey, parsePublicKey } from "../../../kernel/x509/index.ts";
import { parsePrivateKey } from "../../../platform/keys/index.ts";

/** The name kubeadm gives the issuer of every cluster. */
export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";

export interface TokenIssuer {
  readonly issuer: string;
  /** The audiences of a token whose request names none: this server. */
  readonly audiences: readonly string[];
  sign(claims: JwtClaims): string;
}

export function createTokenIssuer(keys: TokenKeys, issuer: string): TokenIssuer {
  return { issuer, audiences: [issuer], sign: keys.sign };
}

interface OpenIdDocument {
  readonly mediaType: string;
  readonly body: unknown;
}

/**
 * Undefined where OpenID has no document, and for an issuer that is not an https URL: relying parties could not find
 * it.
 */
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

// The keys of service account tokens: the one that signs, and all whose signatures are accepted. A key that was
// replaced stays in the second list until its last token has expired.

export interface TokenKeys {
  /** By key id. */
  readonly publicKeys: ReadonlyMap<string, PublicKey>;
  sign(claims: JwtClaims): string;
}

interface TokenKeyOptions {
  /** PEM of an EC (P-256, P-384, P-521) or RSA-2048 private key. */
  readonly signingKeyPem: string;
  /** PEM of PUBLIC KEY or private key blocks whose tokens are still accepted. */
  readonly formerKeysPem?: readonly string[] | undefined;
}

export function createTokenKeys({ signingKeyPem, formerKeysPem = [] }: TokenKeyOptions): TokenKeys {
  const { signer } = parsePrivateKey(signingKeyPem);
  jwtAlgorithmOf(signer);
  const own = parsePublicKey(signer.publicKey);
  const all = [own, ...formerKeysPem.flatMap(readPublicKeys)];
  return {
    publicKeys: new Map(all.map((key) => [keyIdOf(key), key])),
    sign: (claims) => signJwt({ keyId: keyIdOf(own), claims }, signer),
  };
}

function readPublicKeys(pem: string): readonly PublicKey[] {
  const keys = parsePem(pem)
    .filter(({ label }) => label === "PUBLIC KEY")
    .map(({ bytes }) => parsePublicKey(bytes));
  return keys.length > 0 ? keys : [parsePublicKey(parsePrivateKey(pem).signer.publicKey)];
}

const ALGORITHM_BY_CURVE: Readonly<Record<string, JwtAlgorithm>> = {
  "P-256": "ES256",
  "P-384": "ES384",
  "P-521": "ES512",
};

/** The public keys for relying parties. A PublicKey holds no private numbers, so none can leak here. */
function keySetOf(keys: TokenKeys): { readonly keys: readonly Readonly<Record<string, string>>[] } {
  return {
    keys: [...keys.publicKeys].map(([kid, key]) => ({ use: "sig", kid, alg: algorithmFor(key), ...jwkOf(key) })),
  };
}

function algorithmFor(key: PublicKey): JwtAlgorithm {
  const algorithm = key.algorithm === "RSA" ? "RS256" : ALGORITHM_BY_CURVE[key.curve ?? ""];
  if (algorithm === undefined) throw new Fault("unsupported", "a service account key must be RSA or EC");
  return algorithm;
}
